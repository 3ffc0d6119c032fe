import { seededRandom } from '#test/bench/seeded-random.ts';
import { type BenchTenant, createBenchTenant } from '#test/bench/service.ts';
import type { Attack, Target } from './measure-attack.ts';

/** Duration of the attack in milliseconds. */
const duration = Number(process.env['ATTACK_SECONDS'] ?? 20) * 1000;

/**
 * Lengths of the longer side of a term in characters, in descending order. The attack uses the first length that the
 * service accepts, because this glossary is the most expensive one.
 */
const lengths = [498, 198, 95, 45];

const targets = ['de', 'fi', 'hu', 'fr', 'el', 'ru', 'pl', 'tr'];

let longSources: BenchTenant;
let longTargets: BenchTenant;
let bystander: BenchTenant;

/**
 * One tenant has a glossary of 2,000 long source terms for each language pair; another tenant has one source term with
 * 2,000 long targets. Over eight connections, these tenants send texts of one character, batches of such texts, and
 * texts of the maximum length, in changing language pairs. A third tenant with a small glossary translates one text
 * after the other.
 */
export const glossaryAttack: Attack = {
  title: 'the worst legal glossaries, asked by one-character jobs and batches at 8 connections',
  env: {
    TRIAL_CHARS: '1000000000',
    DEFAULT_MONTHLY_CHAR_LIMIT: '2000000000',
    MONTHLY_CHAR_CEILING: '2000000000',
  },
  async prepare({ address }) {
    longSources = await createBenchTenant(address);
    longTargets = await createBenchTenant(address);
    bystander = await createBenchTenant(address);
    await uploadLargest(address, longSources, (long, at) => [long, `t${at}`]);
    await uploadLargest(address, longTargets, (long) => ['a', long]);
    await upload(address, bystander, [
      ['contract', 'Vertrag'],
      ['net total', 'Nettosumme'],
    ]);
    // The first job in a process is slow, because modules are loaded.
    for (const tenant of [bystander, bystander]) await translate(address, tenant, ['the contract'], 'de');
  },
  async run({ address }: Target) {
    const end = performance.now() + duration;
    const longest = 'a '.repeat(25_000);
    let jobs = 0;
    let failed = 0;
    const attacker = async (connection: number) => {
      const tenant = connection < 4 ? longSources : longTargets;
      for (let round = connection; performance.now() < end; round++) {
        const language = targets[round % targets.length]!;
        const texts =
          round % 4 === 3 ? Array.from({ length: 20 }, () => 'a') : [round % 16 === 2 ? longest : 'a'];
        if (await translate(address, tenant, texts, language)) jobs += texts.length;
        else failed += 1;
      }
    };
    const times: number[] = [];
    const other = async () => {
      while (performance.now() < end) {
        const start = performance.now();
        await translate(address, bystander, ['the contract and its net total'], 'de');
        times.push(performance.now() - start);
      }
    };
    await Promise.all([...Array.from({ length: 8 }, (_, connection) => attacker(connection)), other()]);
    times.sort((a, b) => a - b);
    const at = (share: number) =>
      Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]!);
    return {
      'jobs of the attackers': jobs,
      'refused or failed': failed,
      'jobs of the bystander': times.length,
      'its answers, p50 and max': `${at(0.5)} and ${at(1)} ms`,
    };
  },
};

async function translate(
  address: string,
  tenant: BenchTenant,
  texts: string[],
  targetLang: string,
): Promise<boolean> {
  const body =
    texts.length === 1
      ? { source_text: texts[0], source_lang: 'en', target_lang: targetLang }
      : { inputs: texts.map((Text) => ({ Text, Language: 'en', Targets: [{ Language: targetLang }] })) };
  const answer = await fetch(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': tenant.apiKey },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

async function uploadLargest(
  address: string,
  tenant: BenchTenant,
  row: (long: string, at: number) => [string, string],
): Promise<void> {
  for (const length of lengths) {
    const random = seededRandom(length);
    const terms = Array.from({ length: 2000 }, (_, at) => row(wordsOf(length, random), at));
    if (await upload(address, tenant, terms)) return;
  }
  throw new Error('no glossary was taken');
}

function wordsOf(length: number, random: () => number): string {
  let words = '';
  while (words.length < length)
    words += random() < 0.15 ? ' ' : String.fromCharCode(97 + Math.floor(random() * 26));
  return `x${words.slice(1, length - 1)}x`;
}

async function upload(
  address: string,
  tenant: BenchTenant,
  terms: readonly (readonly [string, string])[],
): Promise<boolean> {
  const form = new FormData();
  const lines = ['source_term,target_term', ...terms.map((pair) => pair.join(','))];
  form.set('terminology_file', new File([lines.join('\n')], 'terms.csv', { type: 'text/csv' }));
  form.set('name', 'terms');
  const answer = await fetch(`${address}/api/terminology`, {
    method: 'POST',
    headers: { 'x-api-key': tenant.apiKey },
    body: form,
  });
  await answer.arrayBuffer();
  return answer.ok;
}
