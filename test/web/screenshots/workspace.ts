import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { LinguaLoop } from '#sdk/index.ts';
import { type FakeOpenAi, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import recorded from './minutes.json' with { type: 'json' };

/** The member whose screens are in the pictures. */
export const member = { email: 'ada@example.org', password: 'a long enough passphrase' };

const file = join(import.meta.dirname, '../../../examples/files/minutes.docx');

const glossary = `source,target
plot,parcela
allotment society,asociación de huertos
minutes,acta
neighbour,vecino
wheelbarrow,carretilla
compost,compost
`;
const memory = `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence" adminlang="en" o-tmf="x" creationtool="x" creationtoolversion="1"/><body>
<tu><tuv xml:lang="en"><seg>Present: eleven members and one dog. The meeting began at 6.10 p.m.</seg></tuv>
<tuv xml:lang="es"><seg>Presentes: once socios y un perro. La reunión comenzó a las 6.10 p. m.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>The meeting ended at 7.15 p.m., when it began to snow.</seg></tuv>
<tuv xml:lang="es"><seg>La reunión terminó a las 7.15 p. m., cuando empezó a nevar.</seg></tuv></tu>
</body></tmx>`;

/**
 * Starts a model that returns recorded translations, so that the pictures show real texts without a model. One of them
 * has a wrong time, which the checks find. The model repairs nothing.
 */
export async function startRecordedModel(): Promise<FakeOpenAi> {
  const model = await startFakeOpenAi();
  model.otherwise(
    translatingReply({
      translate: (text, lang) => {
        const found: Partial<Record<string, string>> | undefined = recorded.find(({ en }) => en === text);
        return found?.[lang] ?? text;
      },
      repair: (translation) => translation,
      score: 92,
    }),
  );
  return model;
}

/**
 * Creates a workspace with a glossary, a translation memory, a document in three languages, and texts that await
 * review.
 * @returns the ID of the Spanish document
 */
export async function fillWorkspace(baseUrl: string): Promise<string> {
  const { tenant_api_key: apiKey } = await new LinguaLoop({ baseUrl }).auth.signUp({
    tenant_name: 'Hillside Gardens',
    ...member,
  });
  const client = new LinguaLoop({ baseUrl, apiKey: apiKey as string });
  const spanish = { source_lang: 'en', target_lang: 'es' };
  await client.terminology.upload(
    { name: 'gardens.csv', data: new Blob([glossary], { type: 'text/csv' }) },
    { name: 'Gardens', ...spanish },
  );
  const tmx = { name: 'minutes.tmx', data: new Blob([memory]) };
  await (await client.memory.importTmx(tmx, { name: 'Minutes 2025', ...spanish })).pollUntilDone();
  for (const { en, es } of recorded)
    if (!es) await client.translations.create({ source_text: en, target_lang: 'fr', domain: 'legal' });
  const ids: string[] = [];
  for (const target_lang of ['de', 'fr', 'es'] as const) {
    const document = { name: 'minutes.docx', data: await openAsBlob(file) };
    const job = await client.documents.translate(document, { source_lang: 'en', target_lang });
    ids.push((await job.pollUntilDone()).id);
  }
  return ids.at(-1) as string;
}
