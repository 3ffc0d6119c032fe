import { expect, it } from 'vitest';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { issue, plain, scope } from './live-engine.ts';

const task = { ...plain, targetLang: 'fr-CA', segments: ['Hello', ' two\n'] };
const free = { models: [], inputTokens: 0, outputTokens: 0 };

it('the stub echoes each segment behind the target’s code, free of cost', async () => {
  expect(await stubEngine.translate(task, scope)).toEqual({
    value: ['[fr-CA] Hello', '[fr-CA]  two\n'],
    ...free,
  });
  expect(stubEngine.live).toBe(false);
});

it('every score of the stub is 92, without issues, and verification passes', async () => {
  const judged = { score: 92, issues: [], summary: 'synthetic score of the stub engine' };
  expect(await stubEngine.assess(task, ['x', 'y'], scope)).toEqual({ value: judged, ...free });
  expect(await stubEngine.verify(task, ['x', 'y'], scope)).toEqual({
    value: { ...judged, passed: true },
    ...free,
  });
});

it('the stub repairs nothing, and prefers the first candidate', async () => {
  expect(await stubEngine.repair(task, ['x', 'y'], [issue], scope)).toEqual({ value: ['x', 'y'], ...free });
  const { value } = await stubEngine.compare(task, [['x'], ['y']], scope);
  expect(value.winner).toBe(0);
});
