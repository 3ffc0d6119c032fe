import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LinguaLoopError } from '#sdk/errors.ts';
import { type Saved, type SaveRequest, SegmentSaves } from '#web/app/editor/segment-saves.ts';

const pause = 800;

/** Saves with a service whose responses the test controls. */
function saves(options: { maxPerRequest?: number; parallel?: number } = {}) {
  const sent: {
    request: SaveRequest;
    signal: AbortSignal;
    /** Responds, and waits until that has taken effect. */
    respond(saved?: Saved): Promise<unknown>;
    fail(error: unknown): Promise<unknown>;
  }[] = [];
  const saved: Saved[] = [];
  const kept = new Map<number, string>();
  const edits = new SegmentSaves({
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        sent.push({
          request,
          signal,
          respond: (result = { changeId: 'change', positions: [...request.edits.keys()] }) => {
            resolve(result);
            return vi.advanceTimersByTimeAsync(0);
          },
          fail: (thrown) => {
            reject(thrown);
            return vi.advanceTimersByTimeAsync(0);
          },
        });
      }),
    onSaved: (_request, result) => saved.push(result),
    onChange: (position, edit) => (edit ? kept.set(position, edit.text) : kept.delete(position)),
    pause,
    ...options,
    retryAfter: 3000,
  });
  return { edits, sent, saved, kept };
}

function error(status: number | null, code: string | null = null, present?: unknown) {
  return new LinguaLoopError({ status, code, detail: 'refused', answeredBy: 'service', present } as never);
}

const textsOf = ({ request }: { request: SaveRequest }) =>
  [...request.edits].map(([position, { text, confirmed }]) => [position, text, confirmed]);
const stateAt = (edits: SegmentSaves, position: number) => edits.all().get(position)?.state.kind;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('saves of segments', () => {
  test('send a draft after a pause in typing, with the last text only', async () => {
    const { edits, sent, kept } = saves();
    edits.edit(3, 'H', 'Hallo');
    await vi.advanceTimersByTimeAsync(pause - 1);
    edits.edit(3, 'Hi', 'Hallo');
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(sent).toEqual([]);
    expect(kept.get(3)).toBe('Hi');
    await vi.advanceTimersByTimeAsync(1);
    expect(sent.map(textsOf)).toEqual([[[3, 'Hi', false]]]);
    expect(sent[0]?.request.edits.get(3)?.replaces).toBe('Hallo');
    await sent[0]?.respond();
    expect(edits.all().size).toBe(0);
    expect(kept.size).toBe(0);
  });

  test('send a confirmation at once', async () => {
    const { edits, sent } = saves();
    edits.confirm(1, 'Bonjour', 'Bonjour');
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.map(textsOf)).toEqual([[[1, 'Bonjour', true]]]);
  });

  test('run one request at a time, and send what was typed during it with the stored text as its base', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'one', 'zero');
    await vi.advanceTimersByTimeAsync(pause);
    edits.edit(1, 'one and two', 'zero');
    edits.confirm(2, 'other', 'other');
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent).toHaveLength(1);
    await sent[0]?.respond();
    await sent[1]?.respond();
    expect(sent.slice(1).map(textsOf)).toEqual([[[1, 'one and two', false]], [[2, 'other', true]]]);
    expect(sent[1]?.request.edits.get(1)?.replaces).toBe('one');
  });

  test('store the former text again if the reviewer restores it while a request is running', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'Foo x', 'Foo');
    await vi.advanceTimersByTimeAsync(pause);
    edits.edit(1, 'Foo xy', 'Foo');
    edits.edit(1, 'Foo', 'Foo');
    await sent[0]?.respond();
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent[1]?.request.edits.get(1)).toMatchObject({ text: 'Foo', replaces: 'Foo x' });
  });

  test('confirm a text that is confirmed while it is sent as a draft', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'one', 'a');
    edits.edit(2, 'two', 'b');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(422));
    edits.confirm(2, 'two', 'b');
    await sent[1]?.respond();
    expect(sent.slice(2).map(textsOf)).toEqual([[[2, 'two', true]]]);
  });

  test('never send a draft with a confirmation, which would fill the repetitions of the draft', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'half a sen', 'a');
    edits.confirm(2, 'done', 'b');
    await vi.advanceTimersByTimeAsync(0);
    await sent[0]?.respond();
    expect(sent.map(textsOf)).toEqual([[[1, 'half a sen', false]], [[2, 'done', true]]]);
  });

  test('send a refused edit again on flush', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'text', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(403));
    await vi.advanceTimersByTimeAsync(pause);
    expect([sent.length, stateAt(edits, 1)]).toEqual([1, 'refused']);
    void edits.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
  });

  test('drop an edit that restores the stored text', async () => {
    const { edits, sent, kept } = saves();
    edits.edit(1, 'x', 'stored');
    edits.edit(1, 'stored', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent).toEqual([]);
    expect(kept.size).toBe(0);
  });

  test('never send or keep an empty text, and restore the stored one if the field is left empty', async () => {
    const { edits, sent, kept } = saves();
    edits.edit(1, 'half', 'stored');
    edits.edit(1, ' ', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    expect([stateAt(edits, 1), kept.size]).toEqual(['empty', 0]);
    expect(await edits.flush()).toEqual([1]);
    edits.confirm(1, '', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent).toEqual([]);
    edits.edit(1, 'new', 'stored');
    edits.leave(1);
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent.map(textsOf)).toEqual([[[1, 'new', false]]]);
    edits.edit(1, '', 'stored');
    await sent[0]?.respond();
    await vi.advanceTimersByTimeAsync(pause);
    expect([stateAt(edits, 1), sent.length]).toEqual(['empty', 1]);
    edits.leave(1);
    expect(edits.all().size).toBe(0);
  });

  test('keep an edit, and send it again, if the service cannot be reached', async () => {
    const { edits, sent, kept } = saves();
    edits.confirm(1, 'text', 'stored');
    await vi.advanceTimersByTimeAsync(0);
    await sent[0]?.fail(error(null));
    expect(stateAt(edits, 1)).toBe('waiting');
    expect(kept.get(1)).toBe('text');
    await vi.advanceTimersByTimeAsync(3000);
    expect(sent.slice(1).map(textsOf)).toEqual([[[1, 'text', true]]]);
  });

  test('replace their own text if the service stored it but its response was lost', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'first', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    edits.edit(1, 'first, longer', 'stored');
    await sent[0]?.fail(error(null));
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent[1]?.request.edits.get(1)).toMatchObject({ text: 'first, longer', replaces: 'stored' });
    await sent[1]?.fail(error(409, 'conflict', [{ position: 1, target_text: 'first' }]));
    expect(sent[2]?.request.edits.get(1)).toMatchObject({ text: 'first, longer', replaces: 'first' });
    await sent[2]?.fail(error(409, 'conflict', [{ position: 1, target_text: 'theirs' }]));
    expect(stateAt(edits, 1)).toBe('conflict');
  });

  test('show the present text of a conflict, and replace it only when the reviewer confirms that', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'mine', 'before');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(409, 'conflict', [{ position: 1, target_text: 'theirs' }]));
    expect(edits.all().get(1)?.state).toEqual({ kind: 'conflict', present: 'theirs' });
    edits.edit(1, 'mine, longer', 'before');
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent).toHaveLength(1);
    edits.replacePresent(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent[1]?.request.edits.get(1)).toMatchObject({ text: 'mine, longer', replaces: 'theirs' });
  });

  test('ask for a reason if a confirmation has critical findings, and send the reason with this segment only', async () => {
    const { edits, sent } = saves();
    edits.confirm(1, 'bad', 'bad');
    await vi.advanceTimersByTimeAsync(0);
    const present = {
      critical_findings: [{ place: 'Body 1', issues: [{ explanation: 'The number 8 is missing.' }] }],
    };
    await sent[0]?.fail(error(409, 'critical_findings', present));
    expect(edits.all().get(1)?.state).toMatchObject({
      kind: 'blocked',
      findings: [{ explanation: 'The number 8 is missing.' }],
    });
    const reason = { code: 'check_is_wrong', note: 'The number is a word here.' } as const;
    edits.edit(2, 'draft', 'stored');
    edits.confirm(1, 'bad', 'bad', reason);
    await vi.advanceTimersByTimeAsync(0);
    expect(textsOf(sent[1] as never)).toEqual([[1, 'bad', true]]);
    expect(sent[1]?.request.reason).toEqual(reason);
    // Once it is stored, it is not sent again.
    await sent[1]?.respond();
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent.slice(2).map(textsOf)).toEqual([[[2, 'draft', false]]]);
  });

  test('send each confirmation in its own request, so that an undo reverts one decision', async () => {
    const { edits, sent } = saves();
    edits.confirm(1, 'one', 'a');
    edits.confirm(2, 'two', 'b');
    edits.confirm(3, 'three', 'c');
    for (let n = 0; n < 3; n++) {
      await vi.advanceTimersByTimeAsync(0);
      await sent[n]?.respond();
    }
    expect(sent.map(textsOf)).toEqual([[[1, 'one', true]], [[2, 'two', true]], [[3, 'three', true]]]);
  });

  test('send each edit alone if a request with several is rejected, so that one does not stop the others', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'good', 'a');
    edits.edit(2, 'bad', 'b');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(422));
    expect(textsOf(sent[1] as never)).toEqual([[1, 'good', false]]);
    await sent[1]?.respond();
    await sent[2]?.fail(error(422));
    expect([...edits.all().keys()]).toEqual([2]);
    expect(stateAt(edits, 2)).toBe('refused');
  });

  test('send a text that changed during the requests for each edit only once, after them', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'one', 'a');
    edits.edit(2, 'two', 'b');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(422));
    edits.edit(2, 'two, longer', 'b');
    await vi.advanceTimersByTimeAsync(pause);
    expect(sent).toHaveLength(2);
    await sent[1]?.respond();
    expect(sent.slice(2).map(textsOf)).toEqual([[[2, 'two, longer', false]]]);
  });

  test('flush sends everything and resolves when it is stored', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'text', 'stored');
    let isDone = false;
    void edits.flush().then(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(1);
    expect(isDone).toBe(false);
    await sent[0]?.respond();
    expect(isDone).toBe(true);
  });

  test('flush sends also what could not reach the service, and returns the segments that are not stored', async () => {
    const { edits, sent } = saves();
    edits.edit(7, 'waiting', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(null));
    edits.edit(3, 'mine', 'before');
    const left = edits.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(textsOf(sent[1] as never)).toEqual([
      [7, 'waiting', false],
      [3, 'mine', false],
    ]);
    await sent[1]?.fail(error(422));
    await sent[2]?.fail(error(null));
    await sent[3]?.fail(error(409, 'conflict', [{ position: 3, target_text: 'theirs' }]));
    expect(await left).toEqual([3, 7]);
    // The attempt after the pause sends only the edit that may succeed.
    await vi.advanceTimersByTimeAsync(3000);
    expect(sent.slice(4).map(textsOf)).toEqual([[[7, 'waiting', false]]]);
  });

  test('stop aborts the running request, sends nothing more, and keeps the drafts on the device', async () => {
    const { edits, sent, kept } = saves();
    edits.edit(1, 'running', 'a');
    await vi.advanceTimersByTimeAsync(pause);
    edits.edit(2, 'typed', 'b');
    edits.stop();
    expect(sent[0]?.signal.aborted).toBe(true);
    kept.delete(1);
    await vi.advanceTimersByTimeAsync(60_000);
    await edits.flush();
    expect(sent).toHaveLength(1);
    expect([...edits.all().keys()]).toEqual([1, 2]);
    // A stopped edit is not written again, because the member may have deleted the drafts since.
    expect([...kept.keys()]).toEqual([2]);
  });

  test('stop also ends the attempts to reach the service', async () => {
    const { edits, sent } = saves();
    edits.edit(1, 'text', 'stored');
    await vi.advanceTimersByTimeAsync(pause);
    await sent[0]?.fail(error(null));
    edits.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveLength(1);
  });

  test('close sends what is left for a limited time, and nothing later', async () => {
    const { edits, sent, kept } = saves();
    edits.edit(1, 'A', 'a');
    const closed = edits.close();
    expect(sent.map(textsOf)).toEqual([[[1, 'A', false]]]);
    await sent[0]?.fail(error(null));
    await closed;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveLength(1);
    expect(kept.get(1)).toBe('A');

    const slow = saves();
    slow.edits.confirm(1, 'A', 'a');
    const left = slow.edits.close();
    await vi.advanceTimersByTimeAsync(3000);
    await left;
    expect(slow.edits.isStopped).toBe(true);
  });

  test('drop all edits of a deleted document, also from the device', async () => {
    const { edits, sent, kept } = saves();
    edits.edit(1, 'one', 'a');
    edits.edit(2, 'two', 'b');
    edits.dropAll();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([edits.all().size, kept.size, sent.length]).toEqual([0, 0, 0]);
  });

  test('have several requests at the same time if that is allowed, but never two for one segment', async () => {
    const { edits, sent } = saves({ maxPerRequest: 1, parallel: 2 });
    const positions = () => sent.map(({ request }) => [...request.edits.keys()][0]);
    for (const position of [1, 2, 3]) edits.confirm(position, `text ${position}`, null);
    const flushed = edits.flush();
    expect(positions()).toEqual([1, 2]);
    edits.edit(1, 'a later text', null);
    await sent[1]?.respond();
    await vi.advanceTimersByTimeAsync(pause);
    expect(positions()).toEqual([1, 2, 3]);
    await sent[2]?.respond();
    await vi.advanceTimersByTimeAsync(pause);
    expect(positions()).toEqual([1, 2, 3]);
    await sent[0]?.respond();
    await vi.advanceTimersByTimeAsync(pause);
    expect(positions()).toEqual([1, 2, 3, 1]);
    expect(sent[3]?.request.edits.get(1)).toMatchObject({ text: 'a later text', confirmed: false });
    await sent[3]?.respond();
    expect(await flushed).toEqual([]);
  });
});
