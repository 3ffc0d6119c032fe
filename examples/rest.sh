#!/usr/bin/env bash
# Uses the service with curl only: translates a text, repeats a request, translates a batch and a file, reviews a job,
# uploads a glossary, and translates a document. LINGUALOOP_URL and LINGUALOOP_API_KEY set the service and the
# credential. Responses are read with Node, which the service needs in any case.
set -euo pipefail
cd "$(dirname "$0")"

url=${LINGUALOOP_URL:-http://127.0.0.1:8080}
: "${LINGUALOOP_API_KEY:?set LINGUALOOP_API_KEY to the key of your workspace}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sends a request. The first argument is the path, the others are options of curl. If the service returns an error, the
# function prints the body to stderr and the script ends.
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
# Each piece of work needs a separate idempotency key. If a request is sent again with the same key, it returns the same
# job and is not billed again.
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
# Content-Disposition has the file name of the source. A file with the name in X-Suggested-Filename overwrites neither
# the source nor a translation into another language.
api "/documents/$document/download" -D "$work/headers" > "$work/translated"
name=$(tr -d '\r' < "$work/headers" | sed -n 's/^x-suggested-filename: //Ip' | node -p 'decodeURIComponent(fs.readFileSync(0)).trim()')
mv "$work/translated" "$work/$name"
echo "translated: $name, $(wc -c < "$work/$name" | tr -d ' ') bytes"
