import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { text, trialist } from '../billing/customers.ts';
import { paid } from '../billing/payments.ts';
import { setsOf } from './sets.ts';

const app = useTestApp({ env: { ...paid(), TRIAL_CHARS: '30' } });

let source: string;
beforeEach(() => {
  source = text(20);
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
