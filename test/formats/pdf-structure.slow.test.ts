import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNumber, type PDFRef, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { structureOf } from '#server/formats/pdf/structure.ts';
import { corpusFile } from '#test/corpus/files.ts';

const keep = { updateMetadata: false } as const;
const save = { useObjectStreams: false, addDefaultPage: false, updateFieldAppearances: false } as const;

async function open(name: string): Promise<PDFDocument> {
  return PDFDocument.load(await normalize(corpusFile(`pdf/${name}`)), keep);
}

/** The kinds of elements in which a document differs from the original after a change. */
async function changedBy(name: string, change: (document: PDFDocument) => void): Promise<string[]> {
  const before = structureOf(await open(name));
  const document = await open(name);
  change(document);
  const after = structureOf(document);
  return [...before.keys()].filter((kind) => after.get(kind) !== before.get(kind));
}

const key = (name: string) => PDFName.of(name);
const dictAt = (document: PDFDocument, from: PDFDict, ...path: string[]): PDFDict =>
  path.reduce((dict, name) => document.context.lookup(dict.get(key(name)), PDFDict), from);

describe('the structure of a PDF', () => {
  it('is the same after saving under other object numbers', async () => {
    const document = await open('form-irs-1040.pdf');
    const saved = await normalize(await document.save(save));
    expect(structureOf(await PDFDocument.load(saved, keep))).toEqual(structureOf(document));
  });

  const firstLink = (document: PDFDocument): PDFDict => {
    const annotations = document.getPage(0).node.Annots() as PDFArray;
    return document.context.lookup(annotations.get(0), PDFDict);
  };
  const firstField = (document: PDFDocument): PDFDict =>
    document.context
      .enumerateIndirectObjects()
      .map(([, object]) => object)
      .find((object): object is PDFDict => object instanceof PDFDict && object.has(key('FT')))!;
  const other = PDFString.of('other');

  it.each<[kinds: string[], name: string, change: (document: PDFDocument) => void]>([
    [
      ['bookmarks'],
      'single-column.pdf',
      (document) => dictAt(document, document.catalog, 'Outlines', 'First').set(key('Title'), other),
    ],
    [
      ['page labels'],
      'made-rotations-labels-links.pdf',
      (document) => document.catalog.delete(key('PageLabels')),
    ],
    [
      ['annotations', 'form fields'],
      'form-irs-1040.pdf',
      (document) => firstField(document).set(key('V'), other),
    ],
    [
      ['annotations'],
      'table-with-links.pdf',
      (document) => dictAt(document, firstLink(document), 'A').set(key('URI'), other),
    ],
    [
      ['places of annotations'],
      'table-with-links.pdf',
      (document) =>
        document.context.lookup(firstLink(document).get(key('Rect')), PDFArray).set(0, PDFNumber.of(1)),
    ],
    [
      ['pages'],
      'single-column.pdf',
      (document) => document.getPage(1).node.set(key('Rotate'), PDFNumber.of(90)),
    ],
  ])('shows a change of %j', async (kinds, name, change) => {
    expect(await changedBy(name, change)).toEqual(kinds);
  });

  it('shows a missing page', async () => {
    expect(await changedBy('single-column.pdf', (document) => document.removePage(1))).toContain('pages');
  });

  it('is read of a page tree whose nodes are above each other', async () => {
    const document = await PDFDocument.create();
    document.addPage();
    const tree = document.catalog.lookup(PDFName.of('Pages'), PDFDict);
    const before = structureOf(document);
    tree.set(PDFName.of('Parent'), document.catalog.get(PDFName.of('Pages'))!);
    expect(structureOf(document)).toEqual(before);
  });

  it('takes arrays of any length', async () => {
    const document = await PDFDocument.create();
    document.addPage();
    document.catalog.set(key('Names'), document.context.obj(Array.from({ length: 300_000 }, (_, n) => n)));
    expect(structureOf(document)).toEqual(structureOf(document));
  });

  it('follows objects that refer to each other, however deep they are', async () => {
    const document = await PDFDocument.create();
    document.addPage();
    let inner: PDFRef = document.context.register(document.context.obj({ Deepest: 1 }));
    const deepest = inner;
    for (let depth = 0; depth < 100_000; depth++)
      inner = document.context.register(document.context.obj({ Inner: inner }));
    document.context.lookup(deepest, PDFDict).set(key('Loop'), inner);
    document.catalog.set(key('Names'), inner);
    const before = structureOf(document);
    document.context.lookup(deepest, PDFDict).set(key('Deepest'), PDFNumber.of(2));
    const after = structureOf(document);
    expect([...before.keys()].filter((kind) => after.get(kind) !== before.get(kind))).toEqual([
      'named destinations',
    ]);
  });
});
