import { beforeEach, describe, expect, test } from 'vitest';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { good, liveEngine } from '../translations/live.ts';
import { expectServed, type Job } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const fake = await useFakeOpenAi();
const live = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
beforeEach(async () => {
  fake.otherwise(good);
  mine = await openSets(app);
});

/** All strings in a trace, at any depth. */
const stringsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : value && typeof value === 'object'
      ? Object.values(value).flatMap(stringsOf)
      : [];

/** A time in the form of TMX or of JSON. */
const moment = /2024-?02-?29T10:?11:?12(\.000)?Z/;

/** Expects that the steps of a job, as returned to the tenant, name a set, a unit and the unit's date. */
function expectNamed(job: Job, ...parts: (string | RegExp)[]) {
  const strings = stringsOf(job.agent_run.steps);
  for (const part of parts)
    expect(strings).toContainEqual(
      typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part),
    );
}

const unit = { source: 'Hello', target: 'Bonjour', tuid: 'unit-zq81', changedate: '20240229T101112Z' };

describe('Provenance: a match names its source, in the trace that the tenant sees', () => {
  test('an exact match: set, tuid, changedate; read again too', async () => {
    await mine.memory([unit], { name: 'Manuals zq82' });
    const job = await mine.job();
    expectServed(job, 'tm_exact', 'Bonjour');
    expectNamed(job, 'Manuals zq82', 'unit-zq81', moment);
    expect(await mine.read(job.id)).toEqual(job);
  });

  test('a glossary term that served: its set', async () => {
    await mine.glossary('Hello,Bonjour', { name: 'Terms zq83' });
    const job = await mine.job();
    expectServed(job, 'glossary_exact', 'Bonjour');
    expectNamed(job, 'Terms zq83');
  });

  test('close matches that the model was given: set, tuid, changedate', async () => {
    const at = await openSets(live);
    const stored = {
      source: 'The red pump must be checked every week.',
      target: 'Die rote Pumpe muss jede Woche geprüft werden.',
    };
    await at.memory([{ ...unit, ...stored }], { name: 'Manuals zq82', target_lang: 'de' });
    const source_text = 'The blue pump must be checked every week.';
    const job = await at.job({ source_text, target_lang: 'de' });
    expectNamed(job, 'Manuals zq82', 'unit-zq81', moment);
  });
});
