import { describe, expect, it, onTestFinished } from 'vitest';
import { documentKind } from '#server/formats/document-kind.ts';
import { flattenUpload, openFileWork } from '#server/platform/sandbox/file-work.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';

describe('an upload is read in a sandbox', () => {
  it('20 files at a time, each its own text', async () => {
    const fileWork = openFileWork();
    onTestFinished(() => fileWork.close());
    const files = ['docx', 'pdf'].flatMap((folder) =>
      corpusNames(folder)
        .filter((name) => !name.endsWith('.txt'))
        .slice(0, 7)
        .map((name) => ({ kind: documentKind(name, '')!, bytes: corpusFile(`${folder}/${name}`) })),
    );
    const all = Array.from({ length: 20 }, (_, index) => files[index % files.length]!);
    const texts = await Promise.all(
      all.map(({ kind, bytes }, index) =>
        flattenUpload(fileWork, kind, bytes, { tenantId: `tenant ${index % 5}` }),
      ),
    );
    expect(new Set(texts).size).toBe(files.length);
    for (const [index, text] of texts.entries()) expect(text).toBe(texts[index % files.length]);
    expect(texts.join()).toContain('Personal Vitality Rebate');
    expect(fileWork.processIds.length).toBeLessThanOrEqual(2);
  });
});
