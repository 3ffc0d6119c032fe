/**
 * Shows the main use of the service from beginning to end: start the service, create a workspace, translate real
 * texts through the SDK and through plain REST, read the results, and stop. Run it with `npm run demo`; only `npm ci`
 * is needed before. `npm run demo -- --engine apertium` translates between English and Spanish with Apertium, which
 * needs neither a key nor a network.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
// In your own project: from '@lingualoop/sdk'.
import { LinguaLoop, type TranslationJob } from '#sdk/index.ts';
import { type Apertium, hasApertium, installApertium, startApertium } from './apertium.ts';
import { startService } from './service.ts';

interface ExampleText {
  file: string;
  lang: string;
  title: string;
  author: string;
  year: number;
  translate_to: string[];
}

const textsFolder = join(import.meta.dirname, 'texts');

const { engine } = parseArgs({ options: { engine: { type: 'string' } } }).values;
if (engine !== undefined && engine !== 'apertium') {
  console.error(`--engine ${engine} is unknown; use --engine apertium, or set OPENAI_API_KEY or ENGINES`);
  process.exit(1);
}
if (engine && !hasApertium()) {
  console.error(`Apertium is not installed. On Debian: ${installApertium}`);
  process.exit(1);
}
let apertium: Apertium | undefined;
/** The language of the short texts. Apertium does not have French from English. */
const language = engine ? 'es' : 'fr';
const corrected = engine ? 'Las partes acuerdan.' : 'Les parties conviennent.';

try {
  apertium = engine && (await startApertium());
  console.log('Starting the service on its embedded PostgreSQL ...');
  const service = await startService(apertium && { ENGINES: enginesOf(apertium) });
  try {
    console.log(`It listens on ${service.address}`);
    await demo(service.address);
  } finally {
    await service.stop();
  }
  console.log('The service has stopped.');
} finally {
  await apertium?.stop();
}

/** No language model judges, so the checks of the service decide what is published. */
function enginesOf({ address: url }: Apertium): string {
  return JSON.stringify({ engines: { apertium: { kind: 'apertium', url } }, without_judge: 'checks' });
}

async function demo(address: string): Promise<void> {
  const visitor = new LinguaLoop({ baseUrl: address });
  const { live_services: live } = await visitor.system.health();
  console.log(
    engine
      ? 'Apertium translates by rules. No language model judges: the checks of the service decide alone.\n'
      : live
        ? 'OPENAI_API_KEY or ENGINES is set: a live engine translates.\n'
        : 'OPENAI_API_KEY is not set: the STUB engine runs. It only prefixes each source with the code of the\ntarget language, so that everything can be tried but nothing is translated.\n',
  );

  const { account, tenant_api_key: apiKey } = await visitor.auth.signUp({
    tenant_name: 'Demo',
    email: 'founder@demo.example',
    password: randomBytes(18).toString('base64url'),
  });
  if (!apiKey) throw new Error('the signup returned no key');
  console.log(`Workspace "${account.name}" created; its key starts with ${account.api_key_prefix}...\n`);

  const texts = JSON.parse(await readFile(join(textsFolder, 'manifest.json'), 'utf8')) as ExampleText[];
  const client = new LinguaLoop({ baseUrl: address, apiKey });
  const pairs: Record<string, string[]> = { en: ['es'], es: ['en'] };
  const work = texts.flatMap((text) =>
    (engine ? (pairs[text.lang] ?? []) : text.translate_to).map((target) => ({ text, target })),
  );
  const jobs: TranslationJob[] = [];
  for (const [done, { text, target }] of work.entries()) {
    const source = (await readFile(join(textsFolder, text.file), 'utf8')).trim();
    // Translate every second text without the SDK, as any HTTP client can.
    const job =
      done % 2 === 0
        ? await client.translations.create({
            source_text: source,
            source_lang: text.lang,
            target_lang: target,
          })
        : await translateWithRest(address, apiKey, source, text.lang, target);
    jobs.push(job);
    const transport = done % 2 === 0 ? 'SDK ' : 'REST';
    const gate = job.agent_run.quality_gate;
    console.log(
      `[${String(done + 1).padStart(2)}/${work.length}] ${transport} ${text.author}, ${text.title} (${text.lang} to ${target}): ${job.status}, quality ${gate?.score}`,
    );
  }

  console.log('\nThe first lines of some of them:');
  for (const job of new Set([jobs[0], jobs[Math.floor(jobs.length / 2)], jobs.at(-1)]))
    if (job)
      console.log(`\n  ${firstLine(job.request.source_text)}\n  ${firstLine(job.final_translation ?? '')}`);

  // A text that is sent again with the same idempotency key returns the first job and is not billed again.
  const once = { source_text: 'Sent twice, paid once.', target_lang: language, idempotency_key: 'demo-once' };
  const [first, second] = [await client.translations.create(once), await client.translations.create(once)];
  console.log(`\nThe same Idempotency-Key twice: ${first.id === second.id ? 'one job' : 'TWO JOBS'}.`);

  const edited = await reviewHeldJob(client);
  const remembered = await client.translations.create({
    source_text: edited.request.source_text,
    target_lang: edited.request.target_lang,
  });
  console.log(`The same text again: “${remembered.final_translation}”, from the memory, without a model.`);

  let listed = 0;
  for await (const _job of client.translations.list({ status: 'published', limit: 20 })) listed += 1;
  console.log(
    `The workspace has ${listed} published translations.${live ? '' : ' (Made by the stub engine.)'}\n`,
  );
  // The reviewed job must be human_edited, not published, because its text was edited.
  if (edited.status !== 'human_edited') throw new Error(`the reviewed job is ${edited.status}`);
  if (remembered.final_translation !== edited.final_translation) throw new Error('it was not remembered');
  const published = [...jobs, first, remembered].filter((job) => job.status === 'published').length;
  if (listed !== published) throw new Error(`${published} were expected`);
}

/**
 * Translates a contract, which always needs a review. Then corrects the translation, and downloads the published
 * text.
 */
async function reviewHeldJob(client: LinguaLoop): Promise<TranslationJob> {
  const held = await client.translations.create({
    source_text: 'The parties agree.',
    target_lang: language,
    domain: 'legal',
  });
  const reasons = held.agent_run.quality_gate?.reasons.join('; ');
  console.log(`\nA text of the domain "legal" is ${held.status}: ${reasons}.`);
  const edited = await client.translations.review(held.id, {
    action: 'modify',
    final_translation: corrected,
    reviewer: 'the demo',
  });
  const sizes: string[] = [];
  for (const format of ['txt', 'docx', 'pdf'] as const) {
    const { bytes } = await client.translations.golden(held.id, { format });
    sizes.push(`${format} of ${bytes.length} bytes`);
  }
  console.log(`A reviewer corrects it: ${edited.status}. Downloads: ${sizes.join(', ')}.`);
  return edited;
}

async function translateWithRest(
  address: string,
  apiKey: string,
  source: string,
  sourceLang: string,
  targetLang: string,
): Promise<TranslationJob> {
  const response = await fetch(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ source_text: source, source_lang: sourceLang, target_lang: targetLang }),
  });
  if (!response.ok) throw new Error(`REST returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as TranslationJob;
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  const characters = [...line];
  return characters.length > 100 ? `${characters.slice(0, 100).join('')}...` : line;
}
