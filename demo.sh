#!/usr/bin/env bash
# The tour of `make demo`: facts as of a date, timelines, what changed. $1 is the asof command.
set -euo pipefail
asof=$1

show() {
  printf '\n\033[1m%s\033[0m\n$ asof' "$1"
  shift
  for word in "$@"; do case $word in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n'
  "$asof" "$@"
}

show "Who governed Italy in March 2021?" facts --subject Italy --relation "head of government" --on 2021-03
show "And in February, when it changed?" facts --subject Italy --relation "head of government" --on 2021-02
show "The same in plain English" ask "Who was the prime minister of Italy before Mario Draghi?"
show "One player through the years" timeline "Cristiano Ronaldo" "member of sports team"
show "A city and its names" timeline Leningrad "official name"
show "Who held which office in the year 100?" facts --relation officeholder --on 0100 --surely
show "What changed from one quarter to the next?" diff 2021-Q1 2021-Q2 --relation "head of government"
show "What the almanac knows" list relations --limit 12
folder=$(mktemp -d)
show "Does a language model know when facts hold? A benchmark:" build timestress --limit 4 --to "$folder/timestress"
show "A small real model" models get smollm2
show "... puts a probability on every statement (a minute or two)" run "$folder/timestress" smollm2 --to "$folder/run"
show "Win rate and robustness" score "$folder/run"
show "Questions that name a time, made from facts" build timeqa --to "$folder/quiz" --set relations=P6 --limit 10
show "... and answered from facts" run "$folder/quiz" facts:almanac --to "$folder/answers"
show "Exact match and F1" score "$folder/answers" --by level
show "The same questions for another tool" export "$folder/quiz" --as huggingface --to "$folder/dataset"
show "Every figure that we claim, beside the published one: one that takes seconds" reproduce timeqa "answers from the facts themselves"
show "The page to look at" report "$folder/run" -o page
printf '\nNext: %s serve --open shows facts in the browser; %s --help; docs/tour.md is a walkthrough from a table to a score.\n' "$asof" "$asof"
