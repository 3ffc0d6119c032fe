import { PDFArray, type PDFDict, type PDFDocument } from '@cantoo/pdf-lib';
import { asDict, get, getArray, getDict, getName } from './objects.ts';

/** Which optional content (layers) is hidden when the file is opened: PDF 32000-1, 8.11. */
export class OptionalContent {
  readonly #hidden: (group: PDFDict) => boolean;

  constructor(document: PDFDocument) {
    const configuration = getDict(getDict(document.catalog, 'OCProperties'), 'D');
    const listed = (key: string): Set<PDFDict> =>
      new Set((getArray(configuration, key) ?? []).flatMap((group) => asDict(group) ?? []));
    const on = listed('ON');
    const off = listed('OFF');
    const isBaseOff = getName(configuration, 'BaseState') === 'OFF';
    this.#hidden = (group) => off.has(group) || (isBaseOff && !on.has(group));
  }

  /** @param content a group, or a membership dictionary with a policy; its visibility expression is not evaluated */
  isHidden(content: PDFDict): boolean {
    if (getName(content, 'Type') !== 'OCMD') return this.#hidden(content);
    const member = get(content, 'OCGs');
    const members = member instanceof PDFArray ? (getArray(content, 'OCGs') ?? []) : [member];
    const groups = members.flatMap((group) => asDict(group) ?? []);
    if (groups.length === 0) return false;
    switch (getName(content, 'P')) {
      case 'AllOn':
        return groups.some((group) => this.#hidden(group));
      case 'AnyOff':
        return !groups.some((group) => this.#hidden(group));
      case 'AllOff':
        return !groups.every((group) => this.#hidden(group));
      default:
        return groups.every((group) => this.#hidden(group));
    }
  }
}

/** The optional content around the current operator. */
export class LayerStack {
  readonly #content: OptionalContent;
  readonly #layers: { name: string | undefined; isHidden: boolean }[] = [];
  /** The names of the layers, outermost first. A new array after each change. */
  names: string[] = [];
  isHidden = false;

  constructor(content: OptionalContent) {
    this.#content = content;
  }

  /** @param name in the resources of the page, if it has one there */
  enter(content: PDFDict, name: string | undefined): void {
    this.#layers.push({ name, isHidden: this.#content.isHidden(content) });
    this.#update();
  }

  leave(): void {
    this.#layers.pop();
    this.#update();
  }

  #update(): void {
    this.names = this.#layers.flatMap(({ name }) => name ?? []);
    this.isHidden = this.#layers.some(({ isHidden }) => isHidden);
  }
}
