import { expect, test } from 'vitest';
import { env, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { addEveryForm, added } from './every-form.ts';
import { exported, importAll, importable, stateOf } from './workspace-copy.ts';

/*
 * What an export has of sets, terms, translation memories and rules can be imported: the workspace that imports it has the
 * same state. Members, and the approved translations of former jobs, cannot be imported: the latter become a memory.
 */

const app = useTestApp({ env });

test('sets, terms, memories and rules of an export are the same after their import', async () => {
  const [mine, other] = [await signUpFounder(app), await signUpFounder(app)];
  await addEveryForm(app, mine);
  await importAll(app, other, await exported(app, mine));
  const before = await stateOf(openSuperuser(app.superuserUrl), mine);
  expect(before.terms).toHaveLength(added.terms);
  expect(before.segments).toHaveLength(added.units);
  expect(before.segments.filter((row) => row['before'] !== null)).toHaveLength(2);
  expect(await stateOf(openSuperuser(app.superuserUrl), other)).toEqual(importable(before));
});
