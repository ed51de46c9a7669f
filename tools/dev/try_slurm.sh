#!/usr/bin/env bash
# Runs the recipe of docs/guide/sweep.md on a Slurm of this machine alone: controller, daemon and
# munge from the system's packages, in a folder of their own. One task is killed in the middle and run
# again; the merged table must be that of the sweep in one piece.
#   sudo bash tools/dev/try_slurm.sh [VRAMLAB]
# Needs root and the packages slurmctld, slurmd, slurm-client and munge. Leaves nothing running.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

vramlab="$(realpath "${1:-build/vramlab}")"
recipe="$PWD/docs/guide/sweep.md"
[ "$(id -u)" -eq 0 ] || { echo "try_slurm: needs root, to start Slurm's daemons" >&2; exit 2; }
for program in munged slurmctld slurmd sbatch; do
  PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null ||
    { echo "try_slurm: $program is missing: apt-get install slurmctld slurmd slurm-client munge" >&2; exit 2; }
done

folder="$(mktemp -d --tmpdir=/var/tmp)"
pids=()
end_all() {
  scancel --user=root 2>/dev/null || true
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap end_all EXIT
fail() {
  echo "try_slurm: $*" >&2
  tail -n 5 "$folder"/*.log "$folder"/work/*.out >&2 2>/dev/null || true
  exit 1
}

start_daemons() {
  chmod 755 "$folder"
  mkdir "$folder/munge" "$folder/state" "$folder/spool"
  head -c 1024 /dev/urandom >"$folder/munge/key"
  chmod 400 "$folder/munge/key"
  /usr/sbin/munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" \
    --log-file="$folder/munge.log" >/dev/null 2>&1 &
  pids+=($!)
  local host
  host="$(hostname -s)"
  cat >"$folder/slurm.conf" <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  export SLURM_CONF="$folder/slurm.conf"
  /usr/sbin/slurmctld -D -c >"$folder/slurmctld.log" 2>&1 &
  pids+=($!)
  /usr/sbin/slurmd -D -c >"$folder/slurmd.log" 2>&1 &
  pids+=($!)
  for _ in $(seq 120); do
    sinfo --noheader --format=%T 2>/dev/null | grep -q idle && return
    sleep 0.5
  done
  fail "the node did not come up"
}

# The first block of bash and the merge of the page, as they are.
extract_recipe() {
  awk '/^```bash/ {inside = 1; next} /^```/ {if (inside) exit} inside' "$recipe" >sweep.sh
  grep -q 'SLURM_ARRAY_TASK_ID/32' sweep.sh || fail "docs/guide/sweep.md has no recipe of 32 shards"
  grep -qF '$ vramlab merge shard-*.json -o sweep.csv' "$recipe" || fail "the recipe merges otherwise"
}

# This machine has fewer processors than the recipe asks for.
submit() { sbatch --parsable --cpus-per-task=1 --mem=0 --output='%a.out' "$@" sweep.sh; }

wait_for_jobs() { while [ -n "$(squeue --noheader --format=%i)" ]; do sleep 0.5; done; }

# The first task that runs; says which.
kill_one() {
  local task
  for _ in $(seq 600); do
    task="$(squeue --noheader --array --states=RUNNING --format=%K | head -1)"
    if [ -n "$task" ]; then
      scancel --signal=KILL --full "$1_$task"
      echo "$task"
      return
    fi
    sleep 0.1
  done
}

start_daemons
mkdir "$folder/work"
cd "$folder/work"
ln -s "$vramlab" "$folder/vramlab"
export PATH="$folder:$PATH"
extract_recipe
vramlab generate training --layers 24 -o rank0.vtrace >/dev/null
mv rank0.vtrace rank0.pickle
for size in $(seq 30 10 660); do echo "max_split_size_mb:$size"; done >settings.txt

job="$(submit)"
killed="$(kill_one "$job")"
[ -n "$killed" ] || fail "no task ever ran"
wait_for_jobs
status=0
vramlab merge shard-*.json -o sweep.csv 2>missing.txt || status=$?
[ "$status" -eq 1 ] || fail "merge ended with $status although task $killed was killed"
grep -qF -- "--shard $killed/32" missing.txt || fail "merge said: $(cat missing.txt)"
submit --array="$killed" >/dev/null
wait_for_jobs
vramlab merge shard-*.json -o sweep.csv >/dev/null
vramlab sweep rank*.pickle --grid settings.txt --gpu h100-80gb --format csv -o whole.csv >/dev/null
cmp sweep.csv whole.csv || fail "the merged table is another than that of the sweep in one piece"
echo "try_slurm: 32 shards of $(wc -l <settings.txt) settings; task $killed was killed and run again;" \
  "the merged table is that of the sweep in one piece ($(sinfo --version))"
