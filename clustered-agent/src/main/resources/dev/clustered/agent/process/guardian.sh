# SPDX-License-Identifier: Apache-2.0
#
# Ends everything that a host program has started when the host is gone by whatever means: the host
# holds the other end of standard input. Lines on standard input:
#   scope ID CGROUP-OR-DASH DIRECTORY    what to end, and to remove, when the host is gone
#   unscope ID                           no longer
#   quit                                 the host ends in order: do nothing
# Needs a POSIX sh, grep, rm, rmdir and sleep.

trap '' HUP INT QUIT TERM
unset CLUSTERED_GUARDIAN
set -f
newline='
'
IFS=$newline
scopes=

forget() {
  kept=
  for entry in $scopes; do
    case $entry in
      "$1 "*) ;;
      *) kept=$kept$entry$newline ;;
    esac
  done
  scopes=$kept
}

# Sets markers, the lines that the environment of a process of any scope holds.
name_markers() {
  markers=
  for entry in $scopes; do
    markers=$markers${markers:+$newline}CLUSTERED_SCOPE=${entry%% *}
  done
}

kill_cgroups() {
  for entry in $scopes; do
    rest=${entry#* }
    cgroup=${rest%% *}
    if [ "$cgroup" != - ] && [ -w "$cgroup/cgroup.kill" ]; then
      echo 1 >"$cgroup/cgroup.kill"
    fi
  done 2>/dev/null
}

# Sets table to one line "PID PARENT SESSION" for each living process.
read_table() {
  table=
  set +f
  for file in /proc/[0-9]*/stat; do
    if read -r line <"$file"; then
      pid=${line%% *}
      line=${line##*) }
      state=${line%% *}
      line=${line#* }
      parent=${line%% *}
      line=${line#* * }
      session=${line%% *}
      case $state in
        Z | X) ;;
        *) table=$table"$pid $parent $session"$newline ;;
      esac
    fi
  done 2>/dev/null
  set -f
}

# Sets doomed to the pids of the scopes: marked, in the session of one, or descended from one.
find_doomed() {
  doomed=' '
  set +f
  for file in $(grep -lszxF -e "$markers" /proc/[0-9]*/environ 2>/dev/null); do
    file=${file#/proc/}
    doomed="$doomed${file%/environ} "
  done
  set -f
  read_table
  sessions=$known_sessions
  before=
  while [ "$before" != "$doomed" ]; do
    before=$doomed
    for entry in $table; do
      pid=${entry%% *}
      session=${entry##* }
      parent=${entry#* }
      parent=${parent%% *}
      case "$doomed" in
        *" $pid "*)
          # Sessions of processes that merely carry the marker, such as a debugging shell, stay.
          if [ "$pid" = "$session" ]; then
            case "$sessions" in
              *" $session "*) ;;
              *) sessions="$sessions$session " ;;
            esac
          fi
          continue
          ;;
      esac
      case "$doomed" in
        *" $parent "*) doomed="$doomed$pid " ;;
        *)
          case "$sessions" in
            *" $session "*) doomed="$doomed$pid " ;;
          esac
          ;;
      esac
    done
  done
  known_sessions=$sessions
}

signal_doomed() {
  IFS=' '
  kill "-$1" $doomed 2>/dev/null
  IFS=$newline
}

# Stops all before one dies: once its parent has ended, a process that left its session and its
# environment behind cannot be told from a stranger. What forks on and on is not waited for.
hold_all() {
  held=
  passes=0
  find_doomed
  while [ "$held" != "$doomed" ] && [ "$passes" -lt 10 ]; do
    held=$doomed
    passes=$((passes + 1))
    signal_doomed STOP
    find_doomed
  done
}

# Two empty passes in a row: during one a process may fork, or be between fork and exec.
kill_all() {
  known_sessions=' '
  hold_all
  empty=0
  while [ "$empty" -lt 2 ]; do
    if [ "$doomed" = ' ' ]; then
      empty=$((empty + 1))
    else
      empty=0
      signal_doomed KILL
    fi
    kill_cgroups
    sleep 0.05
    find_doomed
  done
}

remove_all() {
  for entry in $scopes; do
    id=${entry%% *}
    rest=${entry#* }
    cgroup=${rest%% *}
    directory=${rest#* }
    if [ "$cgroup" != - ]; then
      rmdir "$cgroup" 2>/dev/null
    fi
    case $directory in
      */../* | */..) ;;
      /*"$id"*) rm -rf -- "$directory" 2>/dev/null ;;
    esac
  done
}

echo ready
exec >/dev/null 2>&1
cd /
while IFS= read -r line; do
  case $line in
    'scope '*)
      line=${line#scope }
      forget "${line%% *}"
      scopes=$scopes$line$newline
      ;;
    'unscope '*) forget "${line#unscope }" ;;
    quit) exit 0 ;;
  esac
done

if [ -n "$scopes" ]; then
  name_markers
  kill_all
  remove_all
fi
exit 0
