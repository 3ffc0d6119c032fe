import { type PDFDict, PDFHexString, PDFNumber, PDFStream, PDFString } from '@cantoo/pdf-lib';
import type { Meter } from '../../pdfjs/budget.ts';
import { alphaOperator } from '../../typesetting/line-writer.ts';
import { identity, matrixOf, multiply, type Rectangle, transformRectangle } from '../geometry.ts';
import {
  asDict,
  asName,
  decodeStream,
  get,
  getArray,
  getDict,
  getMatrix,
  getName,
  getNumber,
  getRectangle,
  Resources,
} from '../objects.ts';
import type { OperatorPlace, StructureElement } from '../page-content.ts';
import { type Color, formatName, nextColor } from './color.ts';
import { ContentScanner } from './content-scanner.ts';
import { drawsNothing } from './fonts/type3-outlines.ts';
import { applyTextOperator, type GraphicsState, initialState, textOperators } from './graphics-state.ts';
import type { FormUse, Interpretation, StatedText, TextOperator } from './interpretation.ts';
import { Name, type Operand } from './operand.ts';
import { LayerStack, type OptionalContent } from './optional-content.ts';
import { clipTo, Painter } from './painter.ts';
import { isUpright } from './path.ts';
import type { StructureTree } from './structure-tree.ts';

interface Stream {
  use: number;
  depth: number;
  resources: Resources;
  /** The page or form whose content the stream is. */
  owner: PDFDict;
}

/** An open marked content. */
/** The maximum length of a stated text, as it is written. Longer ones are not those of single glyphs. */
const maxStated = 1000;

interface MarkedContent {
  isLayer: boolean;
  /** The element and the stated text around it. */
  element: StructureElement | undefined;
  stated: StatedText | undefined;
}

/**
 * The maximum number of nested saved graphics states. Further save operators are ignored, and so are the restore
 * operators that belong to them.
 */
const maxSaved = 10_000;

/** Interprets the content stream of a page, and the streams of the forms that it paints. */
export class Interpreter {
  readonly #texts: TextOperator[] = [];
  readonly #uses: FormUse[] = [];
  readonly #forms = new Map<PDFStream, { bytes: Uint8Array; resources: Resources | undefined }>();
  readonly #loops: OperatorPlace[] = [];
  readonly #indirect = new Set<PDFStream>();
  /** The forms around the current operator, to detect a form that paints itself. */
  readonly #open = new Set<PDFStream>();
  readonly #meter: Meter;
  readonly #layers: LayerStack;
  readonly #tree: StructureTree;
  readonly #painter: Painter;
  #order = 0;
  #element: StructureElement | undefined;
  #stated: StatedText | undefined;
  #state: GraphicsState;

  /** @param box the visible part of the page */
  constructor(box: Rectangle, content: OptionalContent, tree: StructureTree, meter: Meter) {
    this.#state = initialState(box);
    this.#layers = new LayerStack(content);
    this.#tree = tree;
    this.#meter = meter;
    this.#painter = new Painter(() => this.#order++);
  }

  /**
   * @param owner the page or form whose content `bytes` is
   * @throws {FileError} `too_large` if reading takes too much work for the size of the file
   */
  read(bytes: Uint8Array, resources: PDFDict | undefined, owner: PDFDict): Interpretation {
    this.#run(bytes, { use: 0, depth: 1, resources: new Resources(resources), owner });
    return {
      texts: this.#texts,
      paints: this.#painter.paints,
      uses: this.#uses,
      loops: this.#loops,
      indirect: this.#indirect,
    };
  }

  #run(bytes: Uint8Array, stream: Stream): void {
    const size = { start: 0, end: bytes.length };
    this.#meter.countStream(stream.depth, size);
    const scanner = new ContentScanner(bytes);
    const saved: GraphicsState[] = [];
    let unsaved = 0;
    const marked: MarkedContent[] = [];
    while (scanner.next()) {
      this.#meter.countOperator(0, size);
      switch (scanner.operator) {
        case 'q':
          if (saved.length < maxSaved) saved.push({ ...this.#state });
          else unsaved++;
          break;
        case 'Q':
          if (unsaved > 0) unsaved--;
          else this.#state = saved.pop() ?? this.#state;
          break;
        case 'BMC':
          marked.push({ isLayer: false, element: this.#element, stated: this.#stated });
          break;
        case 'BDC':
          marked.push(this.#enterContent(scanner, stream));
          break;
        case 'EMC':
          this.#leaveContent(marked.pop());
          break;
        default:
          this.#operate(scanner, stream);
      }
    }
    for (const content of marked.toReversed()) this.#leaveContent(content);
  }

  #enterContent(scanner: ContentScanner, stream: Stream): MarkedContent {
    const isLayer = this.#enterLayer(scanner, stream);
    const content = { isLayer, element: this.#element, stated: this.#stated };
    const operand = scanner.operands.at(-1);
    const listed = operand instanceof Name ? stream.resources.properties(operand.value) : undefined;
    const id = operand instanceof Map ? operand.get('MCID') : listed && getNumber(listed, 'MCID');
    if (typeof id === 'number') this.#element = this.#tree.elementOf(stream.owner, id);
    const text = operand instanceof Map ? operand.get('ActualText') : get(listed, 'ActualText');
    const stated = text instanceof Uint8Array ? PDFHexString.of(Buffer.from(text).toString('hex')) : text;
    const isText = stated instanceof PDFString || stated instanceof PDFHexString;
    if (isText && stated.asString().length <= maxStated) this.#stated = { text: stated.decodeText() };
    return content;
  }

  #leaveContent(content: MarkedContent | undefined): void {
    if (!content) return;
    this.#element = content.element;
    this.#stated = content.stated;
    if (content.isLayer) this.#layers.leave();
  }

  #enterLayer({ operands }: ContentScanner, { use, resources }: Stream): boolean {
    const [tag, properties] = operands.slice(-2);
    if (!(tag instanceof Name && tag.value === 'OC' && properties instanceof Name)) return false;
    const content = resources.properties(properties.value);
    if (content) this.#layers.enter(content, use === 0 ? properties.value : undefined);
    return content !== undefined;
  }

  #operate(scanner: ContentScanner, stream: Stream): void {
    const state = this.#state;
    const { operator } = scanner;
    if (textOperators.has(operator)) {
      const pieces = applyTextOperator(scanner, state, (name) => stream.resources.font(name));
      if (pieces) this.#showText(pieces, scanner, stream);
      return;
    }
    switch (operator) {
      case 'cm': {
        const matrix = matrixOf(scanner.numbers(6));
        if (matrix) state.ctm = multiply(matrix, state.ctm);
        break;
      }
      case 'w':
        state.lineWidth = scanner.numbers(1)?.[0] ?? state.lineWidth;
        break;
      case 'gs':
        setParameters(state, scanner.name() ?? '', stream);
        this.#addMask(scanner, stream);
        break;
      case 'g':
      case 'rg':
      case 'k':
      case 'cs':
      case 'sc':
      case 'scn':
        state.fill = nextColor(operator, state.fill, scanner, stream.use === 0);
        this.#addPattern(state.fill, scanner, stream);
        break;
      case 'G':
      case 'RG':
      case 'K':
      case 'CS':
      case 'SC':
      case 'SCN':
        state.stroke = nextColor(operator.toLowerCase(), state.stroke, scanner, stream.use === 0);
        this.#addPattern(state.stroke, scanner, stream);
        break;
      case 'BI':
        this.#painter.paintImage(scanner.operands[0] as Map<string, Operand>, state, this.#layers.isHidden);
        break;
      case 'Do':
        this.#paintXObject(scanner, stream);
        break;
      default:
        this.#painter.operate(scanner, state, this.#layers.isHidden, stream.use);
    }
  }

  #addPattern({ isPattern }: Color, scanner: ContentScanner, { resources }: Stream): void {
    const pattern = isPattern && !this.#layers.isHidden && resources.tiling(scanner.name() ?? '');
    if (pattern) this.#indirect.add(pattern);
  }

  #addMask(scanner: ContentScanner, { resources }: Stream): void {
    const mask = getDict(resources.graphicsState(scanner.name() ?? ''), 'SMask');
    const group = get(mask, 'G');
    if (group instanceof PDFStream && !this.#layers.isHidden) this.#indirect.add(group);
  }

  #showText(
    pieces: (Uint8Array | number)[],
    { operator, start, end }: ContentScanner,
    { use }: Stream,
  ): void {
    const state = this.#state;
    // PDF readers do not show text if no font is set.
    if (state.font === undefined) return;
    const clips = state.renderMode >= 4 && state.renderMode <= 7;
    if (clips) {
      state.stencil ??= { isPainted: false };
      state.isClipExact = false;
    }
    const isTransparent = (state.fillAlpha === 0 && state.renderMode === 0) || drawsNothing(state.font);
    const text: TextOperator = {
      name: operator,
      place: { use, start, end },
      order: this.#order++,
      pieces,
      after: state.lastText,
      lineMatrix: state.lineMatrix,
      ctm: state.ctm,
      clip: state.clip,
      font: state.font,
      fontSize: state.fontSize,
      charSpacing: state.charSpacing,
      wordSpacing: state.wordSpacing,
      scaling: state.scaling,
      rise: state.rise,
      renderMode: state.renderMode,
      lineWidth: state.lineWidth,
      stencil: clips ? state.stencil : undefined,
      fill: state.fill,
      stroke: state.stroke,
      translucency: state.translucency,
      optionalContent: this.#layers.names,
      isHidden: this.#layers.isHidden || isTransparent,
      filled: this.#layers.isHidden ? () => [] : this.#painter.filled,
      element: this.#element,
      stated: this.#stated,
    };
    state.lastText = text;
    this.#texts.push(text);
  }

  #paintXObject(scanner: ContentScanner, stream: Stream): void {
    const name = scanner.name();
    const object = name === undefined ? undefined : stream.resources.xObject(name);
    if (object === undefined) return;
    const layer = getDict(object.dict, 'OC');
    if (layer) this.#layers.enter(layer, undefined);
    const subtype = getName(object.dict, 'Subtype');
    const { start, end } = scanner;
    const place = { use: stream.use, start, end };
    if (subtype === 'Image') this.#painter.paintImage(object.dict, this.#state, this.#layers.isHidden, place);
    if (subtype === 'Form') {
      if (this.#open.has(object)) this.#loops.push(place);
      else this.#paintForm(name!, object, scanner, stream);
    }
    if (layer) this.#layers.leave();
  }

  #paintForm(name: string, form: PDFStream, { start, end }: ContentScanner, painter: Stream): void {
    const own = getDict(form.dict, 'Resources');
    const content = this.#forms.get(form) ?? {
      bytes: decodeStream(form),
      resources: own && new Resources(own),
    };
    this.#forms.set(form, content);
    // A form without resources uses the resources of the stream that paints it.
    const resources = content.resources ?? painter.resources;
    this.#uses.push({ parent: painter.use, start, end, name, form, resources: resources.dictionary });
    const outer = this.#state;
    const state = { ...outer };
    state.ctm = multiply(getMatrix(form.dict, 'Matrix') ?? identity, state.ctm);
    const box = getRectangle(form.dict, 'BBox');
    if (box) clipTo(state, transformRectangle(state.ctm, box), isUpright(state.ctm));
    if (getDict(form.dict, 'Group')) {
      state.isGroupOpaque &&= state.fillAlpha === 1 && !state.isBlended;
      Object.assign(state, { fillAlpha: 1, strokeAlpha: 1, isBlended: false });
    }
    this.#state = state;
    this.#open.add(form);
    const [use, depth] = [this.#uses.length, painter.depth + 1];
    const { paints } = this.#painter;
    const before = [this.#texts.length, this.#painter.hidden, paints.length + 1];
    this.#run(content.bytes, { use, depth, resources, owner: form.dict });
    // A form of one object, such as a bullet with a shading, can be moved as a whole. An object of a hidden layer stays.
    const after = [this.#texts.length, this.#painter.hidden, paints.length];
    if (`${before}` === `${after}` && outer.clip) {
      const { keepsPath: _, path: __, ...paint } = paints.pop()!;
      const place = { use: painter.use, start, end };
      paints.push({ ...paint, place, ctm: outer.ctm, clip: outer.clip });
    }
    this.#open.delete(form);
    this.#state = outer;
  }
}

/**
 * The keys of graphics state parameters that may be set for translated text, because the only effect is on its
 * translucency. Of those in a form, only the alpha is set.
 */
const harmless = /^\/(?:Type|ca|CA|SMask|AIS|BM|SA|LW|OP|op|OPM|TK)$/;

/** Applies the graphics state parameters of a resource with this name. */
function setParameters(state: GraphicsState, name: string, { resources, use }: Stream): void {
  const parameters = resources.graphicsState(name);
  if (parameters === undefined) return;
  state.lineWidth = getNumber(parameters, 'LW') ?? state.lineWidth;
  state.fillAlpha = getNumber(parameters, 'ca') ?? state.fillAlpha;
  state.strokeAlpha = getNumber(parameters, 'CA') ?? state.strokeAlpha;
  const mask = get(parameters, 'SMask');
  const isMasked = mask !== undefined && asName(mask) !== 'None';
  // A group keeps the alpha with which it is painted, whatever is set in it.
  if (get(parameters, 'ca') !== undefined && state.isGroupOpaque) {
    const isSafe = !isMasked && parameters.keys().every((key) => harmless.test(key.asString()));
    // The resources of a form are not those of the page.
    const operator = use === 0 ? `${formatName(name)} gs` : alphaOperator(state.fillAlpha);
    state.translucency = state.fillAlpha < 1 && isSafe ? operator : '';
  }
  const blend = get(parameters, 'BM');
  if (mask !== undefined || blend !== undefined) {
    const modes = blend === undefined ? [] : (getArray(parameters, 'BM') ?? [blend]).map(asName);
    state.isBlended = isMasked || modes.some((mode) => mode !== 'Normal' && mode !== 'Compatible');
  }
  const [font, size] = getArray(parameters, 'Font') ?? [];
  const dictionary = asDict(font);
  if (dictionary === undefined || !(size instanceof PDFNumber)) return;
  state.font = dictionary;
  state.fontSize = size.asNumber();
}
