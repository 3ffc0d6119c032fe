import type { XmlEvents } from '../flatten/xml.ts';

/** Collects the texts of a chart: its paragraphs, and each name once that it copies from its data sheet. */
export class ChartCounter {
  readonly #paragraphs: string[] = [];
  readonly #names = new Set<string>();
  readonly #open: string[] = [];
  #text = '';

  get texts(): string[] {
    return [...this.#paragraphs, ...this.#names];
  }

  openTag(tag: Parameters<XmlEvents['openTag']>[0]): void {
    const local = tag.name.slice(tag.name.indexOf(':') + 1);
    this.#open.push(local);
    if (local === 'p' || local === 'v' || local === 'pt') this.#text = '';
  }

  text(text: string): void {
    const parent = this.#open.at(-1);
    const isName = parent === 'v' || parent === 'pt';
    if (
      parent === 't' ||
      (isName && this.#open.some((local) => /^str(Cache|Lit|Dim)$|^multiLvl|^txData$/.test(local)))
    )
      this.#text += text;
  }

  closeTag(): void {
    const local = this.#open.pop();
    if (local === 'p') this.#paragraphs.push(this.#text);
    else if (local === 'v' || local === 'pt') this.#names.add(this.#text);
    if (local === 'p' || local === 'v' || local === 'pt') this.#text = '';
  }
}
