import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, password, signUpFounder } from '#test/factories.ts';
import { addEveryForm } from '#test/retention/every-form.ts';
import {
  type Administrator,
  exported,
  importAll,
  importable,
  stateOf,
} from '#test/retention/workspace-copy.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Deployment, startDeployment } from '#test/setup/populated/deployment.ts';
import { openPopulated, type Populated } from './populated.ts';

let populated: Populated;
let [filled, empty]: Deployment[] = [];
let folder: string;
beforeAll(async () => {
  populated = await openPopulated();
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-empty-'));
  filled = await startDeployment(populated.dataDir);
  empty = await startDeployment(join(folder, 'data'));
  await empty.startWorkers();
}, 1_800_000);
afterAll(async () => {
  await filled?.stop();
  await empty?.stop();
  await populated?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Signs in as the first administrator. */
async function founderOf(at: Deployment, workspace: string): Promise<Administrator> {
  const response = await at.request('/api/oauth2/token', {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username: `ada@${workspace}.example`, password }),
  });
  const body = JSON.parse(await response.text());
  return { tenantId: body.user.tenant_id, bearer: bearer(body.access_token) };
}

/** The number of rows that each workspace has at least. */
const least = {
  small: { glossaries: 1, terms: 20, memories: 1, segments: 150, guides: 3, segmentation: 0 },
  medium: { glossaries: 3, terms: 308, memories: 2, segments: 3005, guides: 4, segmentation: 1 },
  large: { glossaries: 1, terms: 2000, memories: 4, segments: 50_000, guides: 3, segmentation: 0 },
};

test.each(['small', 'medium', 'large'] as const)(
  'the export of the %s workspace is the same state in an empty deployment',
  { timeout: 900_000 },
  async (name) => {
    const mine = await founderOf(filled!, name);
    // The glossary of the large workspace is as large as the limit permits.
    if (name === 'medium') await addEveryForm(filled!, mine);
    const other = await signUpFounder(empty!);
    await importAll(empty!, other, await exported(filled!, mine));
    const before = await stateOf(openSuperuser(filled!.superuserUrl), mine);
    const expected = importable(before);
    const after = await stateOf(openSuperuser(empty!.superuserUrl), other);
    for (const [table, rows] of Object.entries(least[name])) {
      const part = table as keyof typeof before;
      expect([part, before[part].length >= rows]).toEqual([part, true]);
      // Of tens of thousands of rows, only those that differ are shown.
      expect(differences(expected[part], after[part]).slice(0, 5)).toEqual([]);
    }
  },
);

/** The pairs of rows in the same place that are not the same. */
function differences(before: readonly object[], after: readonly object[]) {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => [
    before[at],
    after[at],
  ]).filter(([one, other]) => JSON.stringify(one) !== JSON.stringify(other));
}
