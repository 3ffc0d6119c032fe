import type { OfficePackage } from '../office/package.ts';
import type { PartContent } from '../office/rewrite-package.ts';
import type { PositionedXmlEvents } from '../office/xml-reader.ts';
import { type PartEditor, rewriteXmlPart } from './part-stream.ts';

type CreateWriter = (editor: PartEditor) => PositionedXmlEvents;

/** Collects the changes of the parts of a workbook. Several writers may change different places of one part. */
export class PartChanges {
  readonly #office: OfficePackage;
  readonly #writers = new Map<string, CreateWriter[]>();
  readonly #contents = new Map<string, PartContent>();

  constructor(office: OfficePackage) {
    this.#office = office;
  }

  /** Adds a writer for a part. It makes its changes with the editor while it receives the events of the part. */
  add(path: string, create: CreateWriter): void {
    const known = this.#writers.get(path);
    if (known) known.push(create);
    else this.#writers.set(path, [create]);
  }

  /** Sets the whole content of a part. */
  set(path: string, content: PartContent): void {
    this.#contents.set(path, content);
  }

  /** Returns the new contents of the changed parts. */
  contents(): Map<string, PartContent> {
    const contents = new Map(this.#contents);
    for (const [path, writers] of this.#writers)
      contents.set(path, () =>
        rewriteXmlPart(this.#office, path, (editor) => together(writers.map((create) => create(editor)))),
      );
    return contents;
  }
}

function together(writers: readonly PositionedXmlEvents[]): PositionedXmlEvents {
  if (writers.length === 1) return writers[0]!;
  return {
    openTag: (tag) => {
      for (const writer of writers) writer.openTag(tag);
    },
    closeTag: (tag) => {
      for (const writer of writers) writer.closeTag?.(tag);
    },
    text: (text) => {
      for (const writer of writers) writer.text?.(text);
    },
  };
}
