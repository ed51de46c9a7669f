# Writes the source of a program that compares the declarations in streams/cuda_interface with
# NVIDIA's: awk -f comparison.awk HEADER... >comparison.cpp
#
# Every line of the headers has to be one that is known here, so that no declaration is left out; an
# unknown one ends with status 1. "Since CUDA 12.4." behind a declaration, or the version of a
# function, keeps it out of the comparison with older headers.

function fail() {
  printf "%s:%d: the comparison does not know this kind of line: %s\n", FILENAME, FNR, line >"/dev/stderr"
  is_bad = 1
  exit 1
}

function fail_at_end() {
  print "a header ends inside of a declaration" >"/dev/stderr"
  is_bad = 1
  exit 1
}

function guarded(since, text) {
  return since > 12000 ? "#if CUDA_VERSION >= " since "\n" text "\n#endif\n" : text "\n"
}
function map(name) { maps = maps guarded(since_here(), "VRAMLAB_MAP(" name ")") }
function compare(what) { compare_since(since_here(), what) }
function compare_since(since, what) { checks = checks guarded(since, "  VRAMLAB_COMPARE_" what ";") }
function since_here() { return since > type_since ? since : type_since }

# A row of a table: One(name, symbol, version, ... or Two(name, symbol, version, suffix, version, ...
function compare_row(part) {
  split(line, part, /[(, )]+/)
  compare_since(part[5] + 0, "FUNCTION(PFN_" part[3] "_v" part[5] ", " part[4] ")")
  if (part[2] == "Two")
    compare_since(part[7] + 0, "FUNCTION(PFN_" part[3] "_v" part[7] part[6] ", " part[4] part[6] ")")
}

# The name in `unsigned char reserved[4];`.
function field_name(part) {
  sub(/(\[[0-9]+\])?;$/, "", line)
  return part[split(line, part, " ")]
}

{
  since = 0
  line = $0
  if (match(line, /Since CUDA [0-9]+\.[0-9]+/)) {
    split(substr(line, RSTART + 11, RLENGTH - 11), version, ".")
    since = version[1] * 1000 + version[2] * 10
  }
  sub(/ *\/\/.*/, "", line)
  continues = line ~ /\\$/
  sub(/ *\\$/, "", line)
}

FNR == 1 && (in_macro || type != "" || begun != "") { fail_at_end() }
in_macro {
  if (line ~ /^  (One|Two)\(cu[A-Za-z0-9]+, cu[A-Za-z0-9_]+, [0-9]+,/) compare_row()
  in_macro = continues
  next
}
line ~ /^#define VRAMLAB_/ { in_macro = continues; next }
line == "" || line ~ /^#(pragma once|include .*|undef VRAMLAB_.*)$/ || line ~ /^VRAMLAB_CUDA_[A-Z_]+\(.*\)$/ { next }
line == "VRAMLAB_CUDA_SYMBOLS" { next }
line ~ /^inline constexpr int newest_known_cuda = [0-9]+;$/ { next }

line ~ /^#define CU_[A-Z_]+ \(.*\)$/ {
  captures = captures guarded(since, "VRAMLAB_CAPTURE(" $2 ")") "#undef " $2 "\n"
  compare("MACRO(" $2 ")")
  next
}
# Types of functions may take several lines.
line ~ /^using [^;]*$/ { begun = line; next }
begun != "" && line !~ /;$/ { begun = begun line; next }
begun != "" { $0 = line = begun line; begun = "" }

line ~ /^using [A-Za-z0-9_]+ = struct [A-Za-z0-9_]+\*;$/ { map($2); compare("HANDLE(" $2 ")"); next }
line ~ /^using [A-Za-z0-9_]+ = [^{}]*;$/ { compare("ALIAS(" $2 ")"); next }
line ~ /^struct [A-Za-z0-9_]+;$/ { sub(/;/, "", $2); map($2); compare("OPAQUE(" $2 ")"); next }

line ~ /^(struct|enum) [A-Za-z0-9_]+ (: unsigned )?\{$/ {
  type = $2
  type_since = since
  kind = toupper($1)
  nested = ""
  map(type)
  compare(kind "(" type ")")
  next
}
line == "};" && type != "" { type = ""; type_since = 0; next }
kind == "ENUM" && type != "" && line ~ /^  [A-Z0-9_]+ = [0-9]+,$/ { compare("VALUE(" $1 ")"); next }
kind == "STRUCT" && type != "" {
  if (line == "  struct {") { nested = "allocFlags"; next }
  if (line == "  } allocFlags;") { nested = ""; next }
  if (line !~ /^ +[A-Za-z0-9_:* ]+(\[[0-9]+\])?;$/) fail()
  name = field_name()
  compare("FIELD(" type ", " (nested == "" ? name : nested "." name) ")")
  next
}
{ fail() }

END {
  if (is_bad) exit 1
  if (in_macro || type != "" || begun != "") fail_at_end()
  print "#include \"tests/cuda_interface/comparison.h\"\n"
  print captures
  print "namespace ours {\n#include \"streams/cuda_interface/functions.h\"\n}  // namespace ours\n"
  print "namespace vramlab::cuda_comparison {\n" maps "}  // namespace vramlab::cuda_comparison\n"
  print "int main() {\n  vramlab::cuda_comparison::Comparison comparison;\n" checks
  print "  return comparison.end();\n}"
}
