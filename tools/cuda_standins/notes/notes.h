/* Notes by the stand-ins for CUDA's libraries for the report of a dry run. C functions of the dry
 * run's libcuda.so.1: a stand-in links to it. They may be called from any thread, at any time.
 */
#ifndef VRAMLAB_DRY_RUN_NOTES_H
#define VRAMLAB_DRY_RUN_NOTES_H

#ifdef __cplusplus
extern "C" {
#endif

/* `kind` is one of:
 *   "unknown"        a function that nobody wrote by hand; subject "libcublas.so.12 cublasFoo"
 *   "modelled"       an answer that a GPU's library may give otherwise; subject "cudnn workspace"
 *   "beside_peak"    such an answer, or memory of a library's own, that no peak of the program's
 *                    allocator depends on; subject "time between events"
 *   "host_read"      a value of the device reached the host
 *   "out_of_bounds"  a copy or a memset that was refused as CUDA does; subject "cuMemcpyHtoD of 64
 *                    bytes, 32 past the end of the memory there"
 *   "linked_runtime" CUDA's runtime is linked into a file, and does not run on a stand-in; subject
 *                    the file's name
 *   "missing_rank"   what another rank would have sent is unknown; subject "rank 1 of 2 ended"
 * Equal notes are counted; the place of each is where the program is. Of answers ("modelled" and
 * "beside_peak") the first 200 have places. */
void vramlab_dry_run_note(const char* kind, const char* subject);

/* The place of the program now, as text (for Python: file:line function), cut to fit; nonzero where
 * it is known. The caller may be in any thread. NULL: nobody knows. */
typedef int (*vramlab_dry_run_place)(char* text, unsigned long bytes);
void vramlab_dry_run_set_place(vramlab_dry_run_place place);

/* The program's own values for bytes of a device that reach the host, where nobody knows them:
 * 0 where it has none, 1 where it has filled them in, 2 where they are those of a GPU too. `from`
 * is their address on the device. The caller may be in any thread. NULL: nobody has any. */
typedef int (*vramlab_dry_run_values)(void* at, unsigned long bytes, unsigned long long from);
void vramlab_dry_run_set_values(vramlab_dry_run_values values);

/* Numbers that this thread reads next, each in so many bytes, of which the program's side says
 * beforehand that a GPU would give them: the last `left` ones, for reads of at least
 * `fewest_bytes`. It is asked for others. */
enum { vramlab_dry_run_most_answers = 4 };
struct VramlabDryRunAnswers {
  unsigned long long left, fewest_bytes, numbers[vramlab_dry_run_most_answers];
};
struct VramlabDryRunAnswers* vramlab_dry_run_own_answers(void);

/* Hears of the first kernel on each device, and of the first work of a library there
 * (`of_library`), in any thread. NULL: nobody does. */
typedef void (*vramlab_dry_run_first_work)(unsigned device, int of_library);
void vramlab_dry_run_set_first_work(vramlab_dry_run_first_work tell);

/* Puts one kernel of modelled time on the stream, as cuLaunchKernel does; does nothing where the
 * thread has no context or the stream is none. */
struct CUstream_st;
void vramlab_dry_run_work(struct CUstream_st* stream);
/* The same for a kernel that writes at most there. */
void vramlab_dry_run_work_at(struct CUstream_st* stream, unsigned long long at,
                             unsigned long long bytes);

/* Memory of a device whose values the program's side knows is watched until it is written. Zero
 * bytes end the watch that began at this address. */
void vramlab_dry_run_watch_memory(unsigned long long at, unsigned long long bytes);
/* The address of a number of 64 bits, which grows with each watched part that is written, and then
 * of 16,384 more: part number N, counted from 0, began at the one at place N modulo 16,384. */
const void* vramlab_dry_run_written_parts(void);
/* The address of a number of 64 bits: how many captures of streams were begun. */
const void* vramlab_dry_run_captures_begun(void);
/* The bytes that the host or another rank sent to a device a moment ago; nonzero where all of them
 * are known. */
int vramlab_dry_run_read_memory(void* to, unsigned long long from, unsigned long long bytes);
/* These bytes are known from now on, until something is written there. NULL: they are not known any
 * more. */
void vramlab_dry_run_remember(unsigned long long at, const void* values, unsigned long long bytes);

/* The truths in `count` bytes from there, until NULL takes back all that were told. `is_known`: as
 * on a GPU. */
void vramlab_dry_run_tell_truths(unsigned long long at, const void* truths,
                                 unsigned long long count, int is_known);

/* Whether a tensor of so many truths that begins there, and that nobody knows, is taken for yes. */
int vramlab_dry_run_is_yes(unsigned long long at, unsigned long long count);

/* Numbers of the host in order, made unique, picked by a mask, repeated, marked and drawn, as
 * PyTorch's operations do. `kind`: the letter of Python's `struct`. Each row of so many
 * numbers, and the place that each number had in it; 0 where the kind is unknown. */
int vramlab_dry_run_sort(int kind, const void* numbers, unsigned long long rows,
                         unsigned long long count, int is_descending, void* sorted,
                         long long* places);
/* How many different rows of so many numbers there are, 0 where the kind is unknown, or rows of
 * several numbers are no integers; the place of each row among them, and how often each is there,
 * unless it is NULL. */
unsigned long long vramlab_dry_run_unique(int kind, const void* numbers, unsigned long long rows,
                                          unsigned long long count, void* unique, long long* places,
                                          long long* counts);
/* How many bytes of the mask are not 0; the pieces of so many bytes beside them, unless it is NULL.
 */
unsigned long long vramlab_dry_run_pick(const void* mask, unsigned long long count,
                                        const void* pieces, unsigned long long bytes, void* picked);
/* The sum of counts, -1 where one is negative or the kind is none of integers; in `repeated`,
 * unless it is NULL, the piece of so many bytes beside each count, as often as it says: where
 * `pieces` is NULL, the place of each count, in its type. */
long long vramlab_dry_run_repeat(int kind, const void* counts, unsigned long long count,
                                 const void* pieces, unsigned long long bytes, void* repeated);
/* Each of so many pieces so many times, one after the other. */
void vramlab_dry_run_tile(const void* pieces, unsigned long long count, unsigned long long bytes,
                          unsigned long long times, void* tiled);
/* One more than the greatest of some places; -1 where one is negative, there is none, or the kind
 * is none of integers. */
long long vramlab_dry_run_count_classes(int kind, const void* places, unsigned long long count);
/* For each place a row with so many numbers, which are 0 but for a 1 at that place. 0 where one has
 * no such place, or the kind is none of integers. */
int vramlab_dry_run_mark(int kind, const void* places, unsigned long long count,
                         unsigned long long classes, long long* marks);
/* How many integers are in each of so many bins between the limits, in their own type; limits that
 * are equal are those of the numbers. 0 where no bins can be made, or the kind is none of integers.
 */
int vramlab_dry_run_count_in_bins(int kind, const void* numbers, unsigned long long count,
                                  long long least, long long most, unsigned long long bins,
                                  void* counts);
/* So many places of numbers above 0 for each row, one after the other from the one that is its
 * number plus `first` on, round and round; where a row has too few, its other places follow. Where
 * the numbers are NULL, all places are taken for such. 0 where the kind is unknown. */
int vramlab_dry_run_draw(int kind, const void* numbers, unsigned long long rows,
                         unsigned long long count, unsigned long long first,
                         unsigned long long draws, long long* places);

/* How many GPUs the machine has, whichever of them this process may see. It initializes nothing. */
int vramlab_dry_run_gpu_count(void);

/* The notes up to now are written, as they are at the end of the process, which may be killed. */
void vramlab_dry_run_write_notes(void);

/* The driver answers NVML from now on, as if it were initialized, in this process. The program has
 * not used it by that: its children may. */
void vramlab_dry_run_answer_nvml(void);

/* The version of the runtime that the program uses, as cudaRuntimeGetVersion tells it; 0 before one
 * was initialized. Other libraries tell versions that go with it. */
void vramlab_dry_run_set_runtime(int version);
int vramlab_dry_run_runtime(void);

/* Linked runtimes that stay as they are: lines of an address (the link_map of the file) and a
 * reason. The library that looks at files writes here (tools/cuda_standins/linked_runtime); no
 * line at all says that it is not there. */
extern char vramlab_dry_run_linked_runtimes[4096];

#ifdef __cplusplus
}
#endif

#endif
