#!/usr/bin/env bash
# What an HTTP client does with the service, with curl alone: a text, a repetition, a batch, a file, a review, a glossary, a document.
# LINGUALOOP_URL and LINGUALOOP_API_KEY say where and as whom. Answers are read with Node, which is there anyway.
set -euo pipefail
cd "$(dirname "$0")"

url=${LINGUALOOP_URL:-http://127.0.0.1:8080}
: "${LINGUALOOP_API_KEY:?set LINGUALOOP_API_KEY to the key of your workspace}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The path first, then curl's options. An error's body goes to stderr, and ends the script.
api() {
  local path=$1
  shift
  if ! curl -sS --fail-with-body -o "$work/answer" -H "X-API-Key: $LINGUALOOP_API_KEY" "$@" "$url/api$path"; then
    cat "$work/answer" >&2
    return 1
  fi
  cat "$work/answer"
}
json() { api "$1" -H 'Content-Type: application/json' -d "$2" "${@:3}"; }
field() { node -pe "JSON.parse(fs.readFileSync(0)).$1"; }

echo '== A text'
# A key of its own for each piece of work: whoever sends the same one again gets the same job, and pays nothing.
key=rest-example-$(date +%s)-$$
text='{"source_text": "Good morning", "target_lang": "fr"}'
first=$(json /translations "$text" -H "Idempotency-Key: $key" | field id)
again=$(json /translations "$text" -H "Idempotency-Key: $key" | field id)
[ "$first" = "$again" ] && echo "sent twice, one job: $first"
api "/translations/$first" | field final_translation

echo '== A batch: texts × languages, in order'
json /translations '{"inputs": [{"Text": "Soup of the day", "Targets": [{"Language": "fr"}, {"Language": "de"}]}]}' |
  field 'map((job) => job.final_translation).join("\n")'

echo '== A file as text: a job for each page'
api /translations -F source_document=@files/trail-notes.md -F target_lang=de | field 'map((job) => job.status).join()'

echo '== A review'
held=$(json /translations '{"source_text": "The lease ends in March.", "target_lang": "fr", "domain": "legal"}' | field id)
api "/translations/$held" | field 'agent_run.quality_gate.reasons.join("\n")'
json "/translations/$held/review" \
  '{"action": "modify", "final_translation": "Le bail prend fin en mars.", "reviewer": "Ada"}' | field status
api "/translations/$held/golden?format=txt"
echo

echo '== A glossary'
set=$(api /terminology -F 'terminology_file=@import-memory/canteen.csv;type=text/csv' \
  -F "name=$key" -F source_lang=en -F target_lang=fr | field id)
api /terminology | field 'map(({ name, entry_count }) => `${name}: ${entry_count} terms`).join("\n")'
api "/terminology/$set" -X DELETE

echo '== A document, in place'
document=$(api /documents/translate -F source_document=@translate-document/menu.xlsx -F target_lang=fr | field id)
status=pending
until [ "$status" = translated ]; do
  [ "$status" != failed ] || { api "/documents/$document" | field failure.message >&2; exit 1; }
  sleep 1
  status=$(api "/documents/$document" | field status)
done
# Content-Disposition has the name of the source. This one overwrites neither the source nor another language.
api "/documents/$document/download" -D "$work/headers" > "$work/translated"
name=$(tr -d '\r' < "$work/headers" | sed -n 's/^x-suggested-filename: //Ip' | node -p 'decodeURIComponent(fs.readFileSync(0)).trim()')
mv "$work/translated" "$work/$name"
echo "translated: $name, $(wc -c < "$work/$name" | tr -d ' ') bytes"
