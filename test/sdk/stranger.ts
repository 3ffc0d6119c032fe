/**
 * A program of someone who has only the package: test/sdk/stranger.slow.test.ts compiles it with the strictest options outside of the repository, and
 * runs it against a service. LINGUALOOP_URL and LINGUALOOP_API_KEY say where and as whom.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { IdempotencyMismatchError, LinguaLoop } from '#sdk/index.ts';

const client = new LinguaLoop({
  logger: { debug: () => {}, warn: (message) => console.log(`logged: ${message}`) },
});

const source = { name: 'menu.en.xlsx', data: await readFile('menu.en.xlsx') };
for (const target_lang of ['fr', 'de'] as const) {
  const poller = await client.documents.translate(
    source,
    { target_lang },
    { pollEvery: { firstMs: 200, maxMs: 200 } },
  );
  const { id } = await poller.pollUntilDone({ signal: AbortSignal.timeout(60_000) });
  const translated = await client.documents.download(id);
  await writeFile(translated.fileName, translated);
  console.log(`${translated.sourceFileName} is saved as ${translated.fileName}, done: ${poller.progress}`);
}

const german = 'Die Küche schließt um neun Uhr, und danach gibt es nur noch kalte Speisen und Getränke.';
const { request } = await client.translations.create({
  source_text: german,
  source_lang: 'auto',
  target_lang: 'fr',
});
console.log(`detected: ${request.source_lang}`);

const { warnings } = await client.translations.create({
  source_text: 'Good morning',
  target_lang: 'fr',
  metadata: { min_quality_scor: 90 },
});
for (const { code, field } of warnings) console.log(`the service warns: ${code} ${field}`);

const order = { idempotencyKey: 'order-1' };
const first = await client.translations.create({ source_text: 'Good evening', target_lang: 'fr' }, order);
const other = { source_text: 'Good night', target_lang: 'fr' };
try {
  await client.translations.create(other, order);
} catch (error) {
  if (!(error instanceof IdempotencyMismatchError)) throw error;
  console.log(`${error.name}: the key has ${error.job?.id === first.id ? 'the first job' : error.job?.id}`);
}
const returned = await client.translations.create(other, { ...order, onIdempotencyMismatch: 'return' });
console.log(`returned: ${returned.request.source_text}`);
for (const { code, field } of returned.warnings) console.log(`the service warns: ${code} ${field}`);
