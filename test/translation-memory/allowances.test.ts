import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectPaymentRequired, text, trialist } from '../billing/customers.ts';
import { paid } from '../billing/payments.ts';
import { keyed } from '../translations/workspace.ts';
import { expectServed } from './fast-path-jobs.ts';
import { setsOf } from './sets.ts';

const app = useTestApp({ env: { ...paid(), TRIAL_CHARS: '30' } });

let source: string;
beforeEach(() => {
  source = text(20);
});

describe('metered and drawn against the trial like any job (B 8 "Exact tier")', () => {
  test('what a memory or a glossary serves uses the trial up; a replay uses nothing', async () => {
    const founder = await trialist(app);
    await setsOf(app, founder.headers).memory([[source, 'servi']]);
    await setsOf(app, founder.headers).glossary(['ten chars.,dix caract.']);
    const first = await founder.translate(source, {}, keyed('k'));
    expectServed(first.body, 'tm_exact', 'servi');
    expect((await founder.translate(source, {}, keyed('k'))).body).toEqual(first.body);
    expectPaymentRequired(await founder.translate(source), 'free trial has too few characters left');
    expectServed((await founder.translate('ten chars.')).body, 'glossary_exact', 'dix caract.');
    expect(await founder.billed()).toBe(30);
    expectPaymentRequired(await founder.translate('x'), 'free trial used up');
  });
});

describe('sets are no billable work (B 7)', () => {
  test('a tenant whose trial covers no API call keeps its glossaries and memory by its key', async () => {
    const { withKey } = await trialist(app);
    const mine = setsOf(app, withKey.headers);
    await mine.memory([[source, 'servi']]);
    await mine.glossary(['a,b']);
    expect([await mine.memories(), await mine.glossaries()].map(({ length }) => length)).toEqual([1, 1]);
  });
});
