import { PDFArray, type PDFDict, type PDFDocument } from '@cantoo/pdf-lib';
import { asDict, get, getArray, getDict, getName } from '../objects.ts';

/** Determines which optional content (layers) is hidden when the file is opened: PDF 32000-1, 8.11. */
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

  /**
   * Whether content is hidden.
   *
   * @param content an optional content group, or a membership dictionary. The policy of a membership dictionary is
   *   applied, but its visibility expression is not evaluated
   */
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

/** The maximum number of nested layers whose names are stored. Names of deeper layers are ignored. */
const maxDepth = 50;

/** The layers around the current operator. */
export class LayerStack {
  readonly #content: OptionalContent;
  /** For each open layer, the state before the layer was entered. */
  readonly #outer: { names: string[]; isHidden: boolean }[] = [];
  /** The names of the open layers, outermost first. Each change creates a new array. */
  names: string[] = [];
  isHidden = false;

  constructor(content: OptionalContent) {
    this.#content = content;
  }

  /** @param name the name of the content in the page's resources; undefined if it has none */
  enter(content: PDFDict, name: string | undefined): void {
    this.#outer.push({ names: this.names, isHidden: this.isHidden });
    if (name !== undefined && this.names.length < maxDepth) this.names = [...this.names, name];
    this.isHidden ||= this.#content.isHidden(content);
  }

  leave(): void {
    const outer = this.#outer.pop();
    this.names = outer?.names ?? [];
    this.isHidden = outer?.isHidden ?? false;
  }
}
