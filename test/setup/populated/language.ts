import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { addStyleGuide, type Headers, type Person } from '#test/factories.ts';
import { poll } from '#test/setup/poll.ts';
import type { Deployment } from './deployment.ts';
import { type Prose, prose } from './words.ts';

/** The length in UTF-16 units of each unit that is longer than a sentence: a paragraph, a page, a chapter. */
const longUnits = [...Array(80).fill(3000), ...Array(15).fill(12_000), ...Array(5).fill(70_000)];

interface Pair {
  sourceLang: string;
  targetLang: string;
}

/** Imports a TM, and waits until it is active. @returns the source texts of its units */
export async function importMemory(
  deployment: Deployment,
  headers: Headers,
  { name, units, sourceLang, targetLang }: Pair & { name: string; units: number },
): Promise<string[]> {
  const { sentence } = prose(units);
  const sources = Array.from({ length: units }, (_, at) => sentence(longUnits[units - 1 - at]));
  const lines = sources.map((source, at) => {
    const length = longUnits[units - 1 - at];
    return tmxUnit({
      ...{ sourceLang, targetLang, tuid: `${name}-${at}`, changedate: null },
      source,
      target: sentence(length, 'de'),
    });
  });
  const head = tmxHead({ sourceLang, targetLang, creationDate: new Date() });
  const { status, body } = await send(deployment, '/api/tm', headers, {
    tmx_file: new File([head, ...lines, tmxTail], `${name}.tmx`, { type: 'application/xml' }),
    ...{ name, source_lang: sourceLang, target_lang: targetLang },
  });
  if (status === 200) return sources;
  const path = `/api/tm/imports/${body.job.id}`;
  await poll(
    async () => (await deployment.json('GET', path, { headers })).body.job?.status === 'completed',
    900,
  );
  return sources;
}

/** Creates a glossary. Some terms are as long as the limit permits. */
export async function addTerms(
  deployment: Deployment,
  headers: Headers,
  { name, terms, sourceLang, targetLang }: Pair & { name: string; terms: number },
): Promise<void> {
  const { sentence, pick } = prose(terms);
  const rows = Array.from({ length: terms }, (_, at) => {
    const term = sentence(at % 400 === 0 ? 480 : 12).slice(0, at % 400 === 0 ? 480 : 30);
    return `"${term} ${at}","${sentence(12, 'de').slice(0, 30)} ${at}",${pick(['', 'approved'])}`;
  });
  await send(deployment, '/api/terminology', headers, {
    terminology_file: new File([['source,target,notes', ...rows].join('\n')], `${name}.csv`, {
      type: 'text/csv',
    }),
    ...{ name, source_lang: sourceLang, target_lang: targetLang },
  });
}

/** Saves the guide of all languages, and one with as many forbidden words as the limit permits. */
export async function addGuides(deployment: Deployment, person: Person, { sentence, japanese }: Prose) {
  await addStyleGuide(deployment, person, { rules: sentence(3900), quotation_marks: '“”' });
  const forbidden_words = Array.from({ length: 200 }, (_, at) => ({
    term: `${japanese(90)}${at}`,
    use_instead: `${japanese(90)}${at}`,
  }));
  await addStyleGuide(deployment, person, { target_lang: 'ja', rules: japanese(3900), forbidden_words });
  await addStyleGuide(deployment, person, {
    target_lang: 'de',
    rules: '',
    formality: 'formal',
    forbidden_words: [{ term: 'Handy', use_instead: 'Mobiltelefon' }],
  });
}

/** Sends a form. @returns status and body of the response */
export async function send(
  deployment: Deployment,
  path: string,
  headers: Headers,
  fields: Record<string, string | File>,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value as Blob);
  const response = await deployment.request(path, { method: 'POST', headers, body: form });
  const body = JSON.parse(await response.text());
  if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(body)}`);
  return { status: response.status, body };
}
