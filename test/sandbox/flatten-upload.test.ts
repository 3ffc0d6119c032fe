import { describe, expect, it, onTestFinished } from 'vitest';
import { documentKind } from '#server/formats/document-kind.ts';
import { flattenUpload, openFileWork } from '#server/platform/sandbox/file-work.ts';
import { characterRanges } from '#test/abuse/hostile-files.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';

const open = () => {
  const fileWork = openFileWork();
  onTestFinished(() => fileWork.close());
  return fileWork;
};

/** One tenant alone may wait for fewer files than these tests send. */
const tenant = (number = 0) => ({ tenantId: `tenant ${number}` });

describe('an upload is read in a sandbox', () => {
  it('20 files at a time, each its own text', async () => {
    const fileWork = open();
    const files = ['docx', 'pdf'].flatMap((folder) =>
      corpusNames(folder)
        .filter((name) => !name.endsWith('.txt'))
        .slice(0, 7)
        .map((name) => ({ kind: documentKind(name, '')!, bytes: corpusFile(`${folder}/${name}`) })),
    );
    const all = Array.from({ length: 20 }, (_, index) => files[index % files.length]!);
    const texts = await Promise.all(
      all.map(({ kind, bytes }, index) => flattenUpload(fileWork, kind, bytes, tenant(index % 5))),
    );
    expect(new Set(texts).size).toBe(files.length);
    for (const [index, text] of texts.entries()) expect(text).toBe(texts[index % files.length]);
    expect(texts.join()).toContain('Personal Vitality Rebate');
    expect(fileWork.processIds.length).toBeLessThanOrEqual(2);
  });

  it('a refusal keeps its FileError', async () => {
    const fileWork = open();
    await expect(
      flattenUpload(fileWork, 'pdf', corpusFile('bad/password-user.pdf'), tenant()),
    ).rejects.toMatchObject({
      name: 'FileError',
      reason: 'protected',
    });
    await expect(flattenUpload(fileWork, 'txt', Buffer.from([0xff]), tenant())).rejects.toMatchObject({
      name: 'FileError',
      reason: 'not_text',
      message: expect.stringContaining('UTF-8'),
    });
  });

  it('a bomb that the format does not reveal is too large, and the next file is read', async () => {
    const fileWork = open();
    await expect(flattenUpload(fileWork, 'pdf', characterRanges(), tenant())).rejects.toMatchObject({
      name: 'FileError',
      reason: 'too_large',
      // On a slow machine the limit of time comes first; limits.test.ts holds each by itself.
      message: expect.stringMatching(/memory|takes too long/),
    });
    expect(await flattenUpload(fileWork, 'txt', Buffer.from('next'), tenant())).toBe('next');
  });

  it('a caller that hangs up ends the reading', async () => {
    const fileWork = open();
    const controller = new AbortController();
    const reading = flattenUpload(fileWork, 'pdf', corpusFile('pdf/type3-font.pdf'), {
      ...tenant(),
      signal: controller.signal,
    });
    controller.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
  });

  it('too many files of one tenant do not affect the next file, and others are read', async () => {
    const fileWork = open();
    const pdf = corpusFile('pdf/made-rotations-labels-links.pdf');
    const accepted = Array.from({ length: 16 }, () => flattenUpload(fileWork, 'pdf', pdf, tenant(1)));
    // One runs, and 16 may wait.
    accepted.push(flattenUpload(fileWork, 'pdf', pdf, tenant(1)));
    await expect(flattenUpload(fileWork, 'pdf', pdf, tenant(1))).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'busy',
    });
    expect(await flattenUpload(fileWork, 'pdf', pdf, tenant(2))).toContain('The committee met');
    await Promise.all(accepted);
  });
});
