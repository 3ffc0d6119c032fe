import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { openSets, type Sets } from '#test/translation-memory/sets.ts';
import { pairs, tmx } from '#test/translation-memory/tmx.ts';

const most = 5;
const limits = {
  WORKSPACE_LIMITS: JSON.stringify({ glossaries: most, translation_memories: most }),
  TM_ASYNC_THRESHOLD: '20',
};
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', ...limits } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const kinds = {
  glossaries: {
    upload: (name: string, of = mine) => of.uploadFile('ledger,livre', { name }),
    list: () => mine.glossaries(),
    remove: (id: string) => mine.removeGlossary(id),
    refused: 'terminology_max_sets_exceeded: there are 5 glossaries; at most 5 are allowed, delete one first',
  },
  memories: {
    upload: (name: string, of = mine) => of.importFile(tmx([['Hello', 'Bonjour']]), { name }),
    list: () => mine.memories(),
    remove: (id: string) => mine.removeMemory(id),
    refused:
      'tm_max_sets_exceeded: there are 5 uploaded translation memories; at most 5 are allowed, delete one first',
  },
};

describe.each(Object.entries(kinds))('%s of a tenant have a limit', (_kind, { upload, list, refused }) => {
  const fill = async () => {
    for (let n = 0; n < most; n++) expect((await upload(`set ${n}`)).status).toBe(200);
  };

  test('one more is 422, which names the limit, and leaves nothing; another tenant has its own', async () => {
    await fill();
    const before = await list();
    const { status, body } = await upload('one more');
    expect([status, body.detail]).toEqual([422, refused]);
    expect(await list()).toEqual(before);
    expect((await upload('its first', await openSets(app))).status).toBe(200);
  });

  test('an upload under an existing name replaces that set, at the limit and above it', async () => {
    await fill();
    const [{ id }] = (await list()).filter(({ name }: { name: string }) => name === 'set 2');
    const { status, body } = await upload('set 2');
    expect([status, body.id]).toEqual([200, id]);
  });

  test('concurrent uploads store no more sets than the limit', async () => {
    // With more concurrent files, some could be rejected with 429 before they are read, because the queue is full.
    const answers = await Promise.all(Array.from({ length: 3 * most }, (_, n) => upload(`at once ${n}`)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(most).fill(200), ...Array(2 * most).fill(422)]);
    expect(await list()).toHaveLength(most);
  });

  test('a file over the limit is refused before it is read', async () => {
    await fill();
    const run = vi.spyOn(app.services.fileWork, 'run');
    const stream = vi.spyOn(app.services.fileWork, 'stream');
    onTestFinished(() => void [run.mockRestore(), stream.mockRestore()]);
    const filesRead = () => run.mock.calls.length + stream.mock.calls.length;
    expect((await upload('one more')).status).toBe(422);
    expect(filesRead()).toBe(0);
    // A file under an existing name is accepted: only the number of sets is limited.
    expect((await upload('set 0')).status).toBe(200);
    expect(filesRead()).toBe(1);
  });
});

describe('memories', () => {
  test('a running import counts as the set that it will become', async () => {
    // The imports stay unfinished, because this application has no workers.
    for (let n = 0; n < most; n++) {
      const { status } = await mine.importFile(tmx(pairs(30, `sentence of ${n}`)), { name: `large ${n}` });
      expect(status).toBe(202);
    }
    expect(await mine.memories()).toEqual([]);
    expect((await kinds.memories.upload('one more')).status).toBe(422);
  });

  test('golden sets of approvals are never refused, and do not count', async () => {
    for (let n = 0; n < most; n++) await kinds.memories.upload(`set ${n}`);
    const { id } = await mine.job({ source_text: 'The cat sleeps.', domain: 'legal' });
    const reviewed = await mine.review(id, {
      action: 'modify',
      reviewer: 'r',
      final_translation: 'Le chat dort.',
    });
    expect(reviewed.status, JSON.stringify(reviewed.body)).toBe(200);
    const golden = ({ origin }: { origin: string }) => origin === 'golden_approved';
    await poll(async () => (await mine.memories()).some(golden));
    const imported = (await mine.memories()).find((set: { origin: string }) => !golden(set));
    await mine.removeMemory(imported.id);
    expect((await kinds.memories.upload('in its place')).status).toBe(200);
  });
});
