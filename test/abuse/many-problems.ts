import type { Attack } from './measure-attack.ts';

/** The URLs over REST and /trpc, and how each puts the batch into the body. */
export const endpoints = [
  { path: '/api/translations', wrap: (batch: string) => batch },
  { path: '/trpc/translations.createBatch', wrap: (batch: string) => `{"json":${batch}}` },
];

/** A body `{"inputs":[{},{},…]}` of about `bytes` bytes. Each entry lacks two required fields. */
export function emptyInputs(bytes: number): string {
  return `{"inputs":[${'{},'.repeat(Math.floor(bytes / 3))}{}]}`;
}

export const manyProblems: Attack = {
  title: '290 KB of {"inputs":[{},{},…]} without a credential, 20 times over each transport',
  async run({ address }) {
    let largest = 0;
    let slowest = 0;
    const statuses = new Set<number>();
    for (let round = 0; round < 20; round++)
      for (const { path, wrap } of endpoints) {
        const start = performance.now();
        const answer = await fetch(address + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: wrap(emptyInputs(290_000)),
        });
        largest = Math.max(largest, (await answer.arrayBuffer()).byteLength);
        slowest = Math.max(slowest, performance.now() - start);
        statuses.add(answer.status);
      }
    return {
      'statuses of the answers': [...statuses].join(' '),
      'largest answer in bytes': largest,
      'slowest answer in ms': Math.round(slowest),
    };
  },
};
