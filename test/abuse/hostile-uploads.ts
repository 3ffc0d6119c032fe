import { createBenchTenant } from '#test/bench/service.ts';
import {
  characterRanges,
  fontsOfForms,
  nestedForms,
  objectTable,
  pageTree,
  spaces,
} from './hostile-files.ts';
import type { Attack, Target } from './measure-attack.ts';

/** Seconds for which the attackers send files. */
const seconds = 12;
/** Number of files that one attacker sends at the same time. */
const connections = 8;
const smallText = Buffer.from('Hello world');
/** A PDF file with one line of text, in a form that is drawn once. */
const smallPdf = nestedForms(1, 1);

interface Upload {
  type: string;
  bytes: Uint8Array;
}

const pdf = (bytes: Uint8Array): Upload => ({ type: 'application/pdf', bytes });

/**
 * Attackers in this many tenants send these files. During the attack, another tenant repeatedly sends a small text and
 * then a small PDF file.
 */
function hostileUploads(title: string, tenants: number, files: () => Upload[]): Attack {
  let keys: string[] = [];
  let uploads: Upload[] = [];
  return {
    title,
    async prepare({ address }) {
      keys = [];
      for (let tenant = 0; tenant <= tenants; tenant++) keys.push((await createBenchTenant(address)).apiKey);
      uploads = files();
    },
    async run(target) {
      const [victim, ...attackers] = keys as [string, ...string[]];
      const end = performance.now() + seconds * 1000;
      const stop = new AbortController();
      const answers = new Map<number, number>();
      const attack = attackers.flatMap((key) =>
        Array.from({ length: connections }, async (_, connection) => {
          for (let count = connection; performance.now() < end; count++) {
            const upload = uploads[count % uploads.length]!;
            const status = await send(target, key, upload, stop.signal).catch(() => 0);
            answers.set(status, (answers.get(status) ?? 0) + 1);
          }
        }),
      );
      const texts: number[] = [];
      const pdfs: number[] = [];
      const failures: number[] = [];
      while (performance.now() < end) {
        for (const [times, upload] of [
          [texts, { type: 'text/plain', bytes: smallText }],
          [pdfs, pdf(smallPdf)],
        ] as const) {
          const start = performance.now();
          const status = await send(target, victim, upload, AbortSignal.timeout(200_000)).catch(() => 0);
          times.push(performance.now() - start);
          if (status !== 200) failures.push(status);
        }
      }
      stop.abort();
      await Promise.all(attack);
      return {
        'answers to the attackers': [...answers].map(([status, count]) => `${status}: ${count}`).join(', '),
        'text of 11 bytes of another tenant, ms': show(texts),
        'PDF of 1 KB of another tenant, ms': show(pdfs),
        'failures of the other tenant': failures.join(', ') || 'none',
      };
    },
  };
}

async function send(
  { address }: Target,
  key: string,
  { type, bytes }: Upload,
  signal: AbortSignal,
): Promise<number> {
  const answer = await fetch(`${address}/api/translations?target_lang=fr`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': type },
    body: bytes as Uint8Array<ArrayBuffer>,
    signal,
  });
  await answer.arrayBuffer();
  return answer.status;
}

function show(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const [median, most] = [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0];
  return `${sorted.length} sent, median ${Math.round(median)}, longest ${Math.round(most)}`;
}

const draws = () => [pdf(nestedForms())];
const others = () => [
  pdf(characterRanges()),
  pdf(objectTable()),
  pdf(fontsOfForms()),
  pdf(pageTree()),
  pdf(spaces()),
  { type: 'text/html', bytes: Buffer.from('<div>'.repeat(200_000)) },
  { type: 'application/xml', bytes: Buffer.from('<a>'.repeat(300_000)) },
  { type: 'application/json', bytes: Buffer.from('['.repeat(5_000_000)) },
  { type: 'text/csv', bytes: Buffer.from('"'.repeat(5_000_001)) },
];

export const drawsOfOne = hostileUploads('one tenant sends PDFs of ten billion draws', 1, draws);
export const drawsOfTen = hostileUploads('ten tenants send PDFs of ten billion draws', 10, draws);
export const bombsOfTen = hostileUploads('ten tenants send nine kinds of hostile files', 10, others);
