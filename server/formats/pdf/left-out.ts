import { type Finding, fileFinding } from '../document.ts';
import { isUnpaired } from './kept-findings.ts';
import type { KeptText } from './layout/content/kept-text.ts';
import type { ReadPage } from './open-pdf.ts';
import type { TextBlock } from './text-block.ts';

/** The content of a PDF that a Word file with its text does not have, in the order in which a finding names it. */
const kinds = {
  headers: 'running headers and footers',
  unreadable: 'texts that cannot be read',
  signs: 'page numbers and single signs',
  pictures: 'pictures',
  fields: 'form fields',
  links: 'links to places in the document',
  annotations: 'annotations',
} as const;

type LeftOutKind = keyof typeof kinds;

/** Texts that a reader of the PDF does not see, or that have no meaning without their place on the page. */
const unneeded = new Set<KeptText['reason']>(['blank', 'clipped', 'covered', 'invisible', 'leader', 'tiny']);

/** Counts the content that a Word file does not have. */
export class LeftOut {
  readonly #counts = new Map<LeftOutKind, number>();

  add(kind: LeftOutKind, count: number): void {
    if (count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  /** @param kept the untranslated texts of the page that the file does not have */
  addPage({ texts, paints, annotations, indirectTexts }: ReadPage, kept: readonly KeptText[]): void {
    const isSign = ({ reason }: KeptText): boolean => reason === 'symbol';
    const visible = kept.filter(({ reason }) => !unneeded.has(reason));
    this.add('signs', visible.filter(isSign).length);
    this.add('unreadable', visible.filter((text) => !isSign(text)).length);
    this.add('unreadable', texts.filter(isUnpaired).length + indirectTexts);
    this.add('pictures', paints.filter(({ kind }) => kind === 'image').length);
    this.add('fields', annotations.filter(({ kind }) => kind === 'widget').length);
    this.add('annotations', annotations.filter(({ kind }) => kind === 'other').length);
  }

  addHeaders(blocks: readonly TextBlock[]): void {
    this.add('headers', blocks.filter(isRunningHeader).length);
  }

  findings(): Finding[] {
    if (this.#counts.size === 0) return [];
    const list = Object.entries(kinds).flatMap(([kind, what]) => {
      const count = this.#counts.get(kind as LeftOutKind);
      return count ? [`${what}: ${count}`] : [];
    });
    const message = `the Word file does not have all content of the PDF; it lacks ${list.join('; ')}`;
    return [fileFinding(this.#counts.has('unreadable') ? 'warning' : 'info', 'content_left_out', message)];
  }
}

export function isRunningHeader({ kind }: TextBlock): boolean {
  return kind === 'header' || kind === 'footer';
}
