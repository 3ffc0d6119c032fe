import { Numbering } from '../office/numbering.ts';
import type { Relationship } from '../office/package.ts';
import { readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import { readDrawing } from './drawing-reader.ts';
import { type Levels, readLevels } from './list-styles.ts';
import { type Presentation, type ReadPart, targetsOf, withName } from './presentation-parts.ts';
import type { Frame, Placeholder } from './shapes.ts';
import type { TextBody } from './text-body.ts';

/** The properties of a layout or a master that the shapes of slides inherit. */
export interface PartStyles {
  placeholders: PlaceholderStyle[];
  /** The lists of the part, by the names of their elements, such as `titleStyle`. */
  lists: ReadonlyMap<string, Levels>;
}

/** The properties of a placeholder that shapes with the same role inherit. */
interface PlaceholderStyle {
  placeholder: Placeholder;
  frame: Frame | undefined;
  attributes: Readonly<Record<string, string>>;
  fit: string | undefined;
  levels: Levels;
}

/** Returns the style of a body of a layout or master; undefined if other shapes do not inherit from it. */
function placeholderStyle({ shape, frame, properties, levels }: TextBody): PlaceholderStyle | undefined {
  if (!shape?.placeholder) return undefined;
  const { attributes, fit } = properties;
  return { placeholder: shape.placeholder, frame, attributes, fit: fit?.local, levels };
}

const listNames: ReadonlySet<string> = new Set(
  'titleStyle bodyStyle otherStyle notesStyle defaultTextStyle'.split(' '),
);

/** Reads the lists of a master or of the main part of a presentation. */
function readLists(source: string): ReadonlyMap<string, Levels> {
  const lists = new Map<string, Levels>();
  let open: XmlStartTag | undefined;
  readPositionedXml(source, {
    openTag: (tag) => {
      if (listNames.has(tag.local)) open ??= tag;
    },
    closeTag: ({ local, end }) => {
      if (!open || local !== open.local) return;
      lists.set(local, readLevels(source.slice(open.start, end)));
      open = undefined;
    },
  });
  return lists;
}

/** The types of placeholders on masters, by the types on slides and layouts. All others have `body`. */
const masterTypes: Readonly<Record<string, string>> = {
  ...{
    title: 'title',
    ctrTitle: 'title',
    ftr: 'ftr',
    dt: 'dt',
    sldNum: 'sldNum',
    hdr: 'hdr',
    sldImg: 'sldImg',
  },
};

const masterType = (type: string): string => masterTypes[type] ?? 'body';

/** The properties that the shapes of one part inherit. */
export class InheritedStyles {
  readonly #defaults: readonly Levels[];
  readonly #parents: readonly PartStyles[];

  /** @param parents the layout and the master of a slide, the most general first */
  constructor(defaults: Levels | undefined, parents: readonly PartStyles[]) {
    this.#defaults = defaults ? [defaults] : [];
    this.#parents = parents;
  }

  /** Returns the lists that a shape inherits, from the most general to the most specific. */
  lists(placeholder: Placeholder | undefined): Levels[] {
    const lists = this.#parents[0]?.lists;
    const type = placeholder && masterType(placeholder.type);
    const name = type === 'title' ? 'titleStyle' : type === 'body' ? 'bodyStyle' : 'otherStyle';
    const general = lists?.get('notesStyle') ?? lists?.get(name);
    const own = this.#chain(placeholder).map(({ levels }) => levels);
    return [...this.#defaults, ...(general ? [general] : []), ...own];
  }

  frame(placeholder: Placeholder | undefined): Frame | undefined {
    return this.#chain(placeholder).findLast(({ frame }) => frame)?.frame;
  }

  /** Returns the inherited attributes of `bodyPr`, and the name of the inherited kind of fit. */
  body(placeholder: Placeholder | undefined): {
    attributes: Readonly<Record<string, string>>;
    fit: string | undefined;
  } {
    const chain = this.#chain(placeholder);
    return {
      attributes: Object.assign({}, ...chain.map(({ attributes }) => attributes)),
      fit: chain.findLast(({ fit }) => fit)?.fit,
    };
  }

  /** The placeholders from which a shape inherits, the most general first. */
  #chain(placeholder: Placeholder | undefined): PlaceholderStyle[] {
    if (!placeholder) return [];
    const chain: PlaceholderStyle[] = [];
    let wanted = placeholder;
    for (const [index, { placeholders }] of [...this.#parents.entries()].toReversed()) {
      const isMaster = index === 0;
      const sameType = placeholders.find(({ placeholder: { type } }) =>
        isMaster ? masterType(type) === masterType(wanted.type) : type === wanted.type,
      );
      const sameIndex = placeholders.find(({ placeholder: { index: other } }) => other === wanted.index);
      const found = isMaster || wanted.index === undefined ? sameType : (sameIndex ?? sameType);
      if (!found) continue;
      chain.unshift(found);
      wanted = found.placeholder;
    }
    return chain;
  }
}

/** Reads the layouts and masters of a presentation, each once. */
export class StyleParts {
  readonly #presentation: Presentation;
  readonly #defaults: Levels | undefined;
  readonly #read = new Map<string, { part: ReadPart; styles: PartStyles }>();

  constructor(presentation: Presentation) {
    const { path, text } = presentation.main;
    this.#presentation = presentation;
    this.#defaults = withName(path, () => readLists(text.source)).get('defaultTextStyle');
  }

  /** Returns what the shapes of a part inherit. @param parents the layout and the master, the most general first */
  inheritedFrom(parents: readonly PartStyles[]): InheritedStyles {
    return new InheritedStyles(this.#defaults, parents);
  }

  /**
   * Returns what the shapes of a slide or notes inherit.
   *
   * @param relationships those of the slide or the notes
   * @param types the types of the parts from which it inherits, the nearest first
   */
  async inherited(
    relationships: readonly Relationship[],
    types: readonly string[],
  ): Promise<InheritedStyles> {
    const parents: PartStyles[] = [];
    let around = relationships;
    for (const type of types) {
      const path = targetsOf(around, type)[0];
      if (path === undefined) break;
      const { part, styles } = await this.of(path);
      parents.unshift(styles);
      around = part.relationships;
    }
    return this.inheritedFrom(parents);
  }

  /** Returns a layout or master, and what it gives to other parts. */
  async of(path: string): Promise<{ part: ReadPart; styles: PartStyles }> {
    const known = this.#read.get(path);
    if (known) return known;
    const part = await this.#presentation.read(path);
    const { source } = part.text;
    const styles: PartStyles = { placeholders: [], lists: withName(path, () => readLists(source)) };
    readDrawing(
      source,
      {
        ...{ path, roots: ['sldLayout', 'sldMaster', 'notesMaster', 'handoutMaster'], inherited: () => [] },
        numbering: new Numbering(''),
        countElement: this.#presentation.countElement,
      },
      (body) => {
        const style = placeholderStyle(body);
        if (style) styles.placeholders.push(style);
      },
    );
    const read = { part, styles };
    this.#read.set(path, read);
    return read;
  }
}
