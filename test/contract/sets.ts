import type { TestApp } from '#test/setup/app.ts';
import type { Fields } from './call.ts';
import { type Person, submitHeld } from './people.ts';

type App = Pick<TestApp, 'request' | 'json'>;

/** The form of a glossary of some terms, without languages. */
export const glossaryForm = (terms = 1, fields: Fields = {}): Fields => ({
  terminology_file: new File(
    [Array.from({ length: terms }, (_, index) => `word ${index},mot ${index}\n`).join('')],
    'terms.csv',
    { type: 'text/csv' },
  ),
  name: 'Words',
  ...fields,
});

/** A TMX file of some units in English and French. */
export const tmxFile = (units = 1, name = 'units.tmx', type = 'application/xml') =>
  new File([tmx(units)], name, { type });

const tmx = (units: number) =>
  [
    '<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header creationtool="x" creationtoolversion="1"',
    ' segtype="sentence" o-tmf="x" adminlang="en" srclang="en" datatype="plaintext"/><body>',
    ...Array.from(
      { length: units },
      (_, index) =>
        `<tu tuid="u${index}"><tuv xml:lang="en"><seg>Unit ${index}</seg></tuv><tuv xml:lang="fr"><seg>Morceau ${index}</seg></tuv></tu>`,
    ),
    '</body></tmx>',
  ].join('');

/** The form of a memory of some units. */
export const memoryForm = (units = 1, fields: Fields = {}): Fields => ({
  tmx_file: tmxFile(units),
  name: 'Units',
  source_lang: 'en',
  target_lang: 'fr',
  ...fields,
});

/** Sends a form that must be taken. */
async function sure(app: App, path: string, { bearer: headers }: Person, fields: Fields) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value as Blob);
  const response = await app.request(path, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** A glossary of the person's workspace, by its id. */
export const addGlossary = async (app: App, person: Person): Promise<string> =>
  (await sure(app, '/api/terminology', person, glossaryForm())).id;

/** A set of the person's memory, by its id. */
export const addMemory = async (app: App, person: Person, name = 'Units'): Promise<string> =>
  (await sure(app, '/api/tm', person, memoryForm(1, { name }))).id;

/** An import that goes on in the background, by its id: the application of a test has no worker that would end it. */
export const beginImport = async (app: App, person: Person, name = 'Large'): Promise<string> =>
  (await sure(app, '/api/tm', person, memoryForm(2, { name }))).job.id;

/** Makes the person's workspace approve a translation of English into French. */
export async function approvePair(app: App, person: Person): Promise<void> {
  const job = await submitHeld(app as TestApp, person);
  const body = { action: 'modify', final_translation: 'Salut' };
  const path = `/api/translations/${job}/review`;
  const { status } = await app.json('POST', path, { headers: person.bearer, body });
  if (status !== 200) throw new Error(`the review answered ${status}`);
}
