import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flattenUpload, openFileWork } from '#server/platform/sandbox/file-work.ts';
import { limitsOfTask } from '#server/platform/sandbox/limits.ts';
import { DeferredTenants } from '#server/platform/sandbox/task-queue.ts';
import { characterRanges, nestedForms } from '#test/abuse/hostile-files.ts';
import { zipOf } from '../formats/flatten-zip.ts';

const open = (deferred?: DeferredTenants) => {
  const fileWork = openFileWork({}, deferred);
  onTestFinished(() => fileWork.close());
  return fileWork;
};

const flattening = (kind: Parameters<typeof limitsOfTask<'flatten'>>[1]['kind'], size: number) =>
  limitsOfTask('flatten', { kind, bytes: new Uint8Array(size) });

describe('where a file is processed', () => {
  it('kind and size decide: plain text in this process, short tasks apart from possibly long ones', () => {
    expect(flattening('txt', 11).queue).toBe('inline');
    expect(flattening('json', 100_000).queue).toBe('inline');
    expect(flattening('csv', 100_001).queue).toBe('light');
    expect(flattening('html', 1).queue).toBe('light');
    expect(flattening('xml', 1_000_001).queue).toBe('heavy');
    for (const kind of ['pdf', 'docx'] as const) expect(flattening(kind, 1).queue).toBe('heavy');
    const file = {
      bytes: new Uint8Array(500_000),
      kind: 'csv',
      declared: { source: null, target: null },
    } as const;
    expect(limitsOfTask('read_glossary', file).queue).toBe('light');
    expect(limitsOfTask('read_glossary', { ...file, bytes: new Uint8Array(500_001) }).queue).toBe('heavy');
  });

  it('CPU time is in proportion to the size, with a floor and a ceiling', () => {
    expect(flattening('pdf', 2700).cpuMs).toBeLessThan(2100);
    expect(flattening('pdf', 2 ** 20).cpuMs).toBe(6000);
    expect(flattening('pdf', 30_000_000).cpuMs).toBe(60_000);
  });

  it('a small PDF that is translated in place may take little CPU time, more of it when text is set', () => {
    const limits = (task: 'extract_document' | 'rebuild_document', size: number) => {
      const payload = { format: 'pdf' as const, bytes: new Uint8Array(size) };
      const rebuilt = { translations: [], options: { sourceLanguage: 'en', targetLanguage: 'fr' } };
      return limitsOfTask(task, { ...payload, ...rebuilt }).cpuMs;
    };
    expect(limits('extract_document', 1000)).toBeLessThan(5100);
    expect(limits('rebuild_document', 1000)).toBeLessThan(10_100);
    expect(limits('extract_document', 2 ** 20)).toBe(65_000);
    expect(limits('extract_document', 30_000_000)).toBe(600_000);
  });

  it('a file that is translated in place counts by what its directory claims to unpack', () => {
    const limits = (bytes: Uint8Array) => limitsOfTask('extract_document', { format: 'docx', bytes });
    const packed = (unpacked: number) => zipOf({ 'word/document.xml': ' '.repeat(unpacked) });
    expect(limits(packed(900_000)).queue).toBe('light');
    expect(limits(packed(1_100_000)).queue).toBe('heavy');
    expect(limits(packed(2 ** 20)).cpuMs).toBe(7000);
    expect(limits(packed(30_000_000)).cpuMs).toBe(60_000);
    expect(limits(new Uint8Array(10)).cpuMs).toBe(4001);
  });

  it('a small text needs no process, and keeps its refusal', async () => {
    const fileWork = open();
    const scope = { tenantId: 'a' };
    expect(await flattenUpload(fileWork, 'txt', Buffer.from('Hello'), scope)).toBe('Hello');
    await expect(flattenUpload(fileWork, 'txt', Buffer.from([0xff]), scope)).rejects.toMatchObject({
      reason: 'not_text',
    });
    await expect(
      flattenUpload(fileWork, 'txt', Buffer.from('x'), {
        ...scope,
        signal: AbortSignal.abort(new Error('gone')),
      }),
    ).rejects.toThrow('gone');
    expect(fileWork.processIds).toEqual([]);
  });
});

describe('a file that runs without end', () => {
  it('is ended by its CPU time; others are read meanwhile, and its tenant is deferred afterwards', async () => {
    const deferred = new DeferredTenants();
    const fileWork = open(deferred);
    const ended: string[] = [];
    const note = (name: string, reading: Promise<unknown>) =>
      reading.then(
        () => ended.push(name),
        (error: { reason: string }) => ended.push(`${name} ${error.reason}`),
      );
    const bombs = [1, 2].map(() =>
      note('bomb', flattenUpload(fileWork, 'pdf', characterRanges(), { tenantId: 'x' })),
    );
    const light = Buffer.from('<p>Hello</p>');
    const heavy = Buffer.from(`<p>Hello</p>${' '.repeat(1_000_001)}`);
    await Promise.all([
      note('light', flattenUpload(fileWork, 'html', light, { tenantId: 'a' })),
      note('heavy', flattenUpload(fileWork, 'html', heavy, { tenantId: 'a' })),
    ]);
    expect(ended.toSorted()).toEqual(['heavy', 'light']);
    expect(deferred.has('x')).toBe(false);
    await bombs[0];
    expect(ended.slice(2)).toEqual(['bomb too_large']);
    expect([deferred.has('x'), deferred.has('a')]).toEqual([true, false]);
    // A file that is rejected because of a count also counts.
    await note('draws', flattenUpload(fileWork, 'pdf', nestedForms(), { tenantId: 'y' }));
    expect([ended.at(-1), deferred.has('y')]).toEqual(['draws too_large', true]);
  });

  it('a caller that hangs up defers its tenant for a while, by the share of the allowance the file had used', async () => {
    let now = 0;
    const deferred = new DeferredTenants(() => now);
    const fileWork = open(deferred);
    /** Sends a file that unpacks to a very large size, and disconnects after some milliseconds. */
    const hangUp = async (tenantId: string, afterMs: number) => {
      const caller = new AbortController();
      const scope = { tenantId, signal: caller.signal };
      const reading = flattenUpload(fileWork, 'pdf', characterRanges(), scope);
      const timer = setTimeout(() => caller.abort(new Error('hung up')), afterMs);
      await expect(reading).rejects.toThrow('hung up');
      clearTimeout(timer);
    };
    const { cpuMs } = flattening('pdf', characterRanges().length);
    await hangUp('late', 0.6 * cpuMs);
    now = 30_000;
    expect(deferred.has('late')).toBe(true);
    now = 60_000;
    expect(deferred.has('late')).toBe(false);
    // The times are added, so disconnecting earlier has no advantage.
    for (let count = 0; count < 3; count++) await hangUp('early', 0.1 * cpuMs);
    now += 15_000;
    expect(deferred.has('early')).toBe(true);
    // A sender that disconnects while its file waits has used no time.
    const left = AbortSignal.abort(new Error('left'));
    await expect(
      flattenUpload(fileWork, 'pdf', characterRanges(), { tenantId: 'left', signal: left }),
    ).rejects.toThrow('left');
    expect(deferred.has('left')).toBe(false);
  });

  it('is counted before the next slot is given: another tenant’s file goes before its tenant’s next one', async () => {
    const deferred = new DeferredTenants();
    const fileWork = open(deferred);
    const ended: string[] = [];
    const read = (tenantId: string, bytes: Uint8Array) =>
      flattenUpload(fileWork, 'pdf', bytes, { tenantId }).then(
        () => ended.push(tenantId),
        () => ended.push(tenantId),
      );
    // The next two files take both slots. Then a second file of tenant x, and a later file of another tenant, wait for
    // the first free slot.
    const draws = read('x', nestedForms());
    const beside = read('b', characterRanges());
    await setImmediate();
    const next = read('x', nestedForms(1, 1));
    const other = read('c', nestedForms(1, 1));
    await Promise.all([draws, next, other]);
    expect(ended.indexOf('c')).toBeLessThan(ended.lastIndexOf('x'));
    await beside;
  });
});
