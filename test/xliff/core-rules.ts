import { SaxesParser, type SaxesTagNS } from 'saxes';

const core = 'urn:oasis:names:tc:xliff:document:2.0';
const metadata = 'urn:oasis:names:tc:xliff:metadata:2.0';

interface Rule {
  required: readonly string[];
  optional?: readonly string[];
  /** Matches the names of the children in their order. `text` stands for any text. */
  children: RegExp;
}

const inline = /^((text|ph|pc|cp) )*$/;
const codeFlags = ['canCopy', 'canDelete', 'canReorder', 'disp', 'equiv', 'type', 'subType', 'copyOf'];

/** The rules in the schema of XLIFF 2.1 for the elements that the service writes. */
const rules: Readonly<Record<string, Rule>> = {
  xliff: { required: ['version', 'srcLang'], optional: ['trgLang', 'xml:space'], children: /^(file )+$/ },
  file: {
    required: ['id'],
    optional: ['original', 'canResegment', 'translate', 'srcDir', 'trgDir', 'xml:space'],
    children: /^(metadata )?(notes )?(unit |group )+$/,
  },
  unit: {
    required: ['id'],
    optional: ['name', 'canResegment', 'translate', 'srcDir', 'trgDir', 'xml:space', 'type'],
    children: /^(metadata )?(notes )?(originalData )?(segment |ignorable )+$/,
  },
  notes: { required: [], children: /^(note )+$/ },
  note: { required: [], optional: ['id', 'appliesTo', 'category', 'priority'], children: /^(text )?$/ },
  originalData: { required: [], children: /^(data )+$/ },
  data: { required: ['id'], optional: ['dir', 'xml:space'], children: /^((text|cp) )*$/ },
  segment: {
    required: [],
    optional: ['id', 'canResegment', 'state', 'subState'],
    children: /^source (target )?$/,
  },
  source: { required: [], optional: ['xml:lang', 'xml:space'], children: inline },
  target: { required: [], optional: ['xml:lang', 'xml:space', 'order'], children: inline },
  ph: { required: ['id'], optional: [...codeFlags, 'dataRef', 'subFlows'], children: /^$/ },
  pc: {
    required: ['id'],
    optional: [...codeFlags, 'dataRefStart', 'dataRefEnd', 'canOverlap', 'dir'],
    children: inline,
  },
  cp: { required: ['hex'], children: /^$/ },
  metadata: { required: [], optional: ['id'], children: /^(metaGroup )+$/ },
  metaGroup: { required: [], optional: ['id', 'category', 'appliesTo'], children: /^(metaGroup |meta )+$/ },
  meta: { required: ['type'], children: /^text $/ },
};

/** Elements that may contain text. In all other elements, white space between children is ignored. */
const withText: ReadonlySet<string> = new Set(['note', 'data', 'source', 'target', 'pc', 'meta']);

const nmtoken = /^[-.:\w\u00b7-\uffff]+$/;
const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

const values: Readonly<Record<string, RegExp>> = {
  state: /^(initial|translated|reviewed|final)$/,
  subState: /^[^\s:]+:\S+$/,
  srcLang: languageTag,
  trgLang: languageTag,
  version: /^2\.1$/,
  id: nmtoken,
  dataRef: nmtoken,
  hex: /^[0-9A-F]{4,6}$/,
  canResegment: /^(yes|no)$/,
  canCopy: /^(yes|no)$/,
  canDelete: /^(yes|no)$/,
  srcDir: /^(ltr|rtl|auto)$/,
  trgDir: /^(ltr|rtl|auto)$/,
  appliesTo: /^(source|target)$/,
  'xml:space': /^(default|preserve)$/,
};

interface OpenElement {
  name: string;
  children: string;
}

interface OpenUnit {
  segments: Set<string>;
  data: Set<string>;
  refs: Set<string>;
  /** The codes in each text. */
  codes: { source: Map<string, string>; target: Map<string, string> };
  side: 'source' | 'target';
}

/**
 * Returns the violations of the rules of XLIFF 2.1: the order and number of elements, their attributes and values, and
 * the constraints of IDs and references. The rules are written here, because no package contains the schema of OASIS.
 */
export function checkXliff(xliff: string): string[] {
  const problems: string[] = [];
  const path: OpenElement[] = [];
  const files = new Set<string>();
  let units = new Set<string>();
  let unit: OpenUnit | undefined;
  const parser = new SaxesParser({ xmlns: true });
  const note = (name: string) => {
    const parent = path.at(-1);
    if (parent) parent.children += `${name} `;
  };
  const once = (known: Set<string>, id: string | undefined, what: string) => {
    if (id === undefined || known.has(id)) problems.push(`${what} ${id} is there twice`);
    else known.add(id);
  };
  const opened = ({ local, uri, attributes }: SaxesTagNS) => {
    if (uri !== core && uri !== metadata) problems.push(`<${local}> is of another namespace`);
    const of = (name: string) => attributes[name]?.value;
    const rule = rules[local];
    if (!rule) return void problems.push(`<${local}> is no element that is written`);
    for (const [name, { value }] of Object.entries(attributes)) {
      if (name.startsWith('xmlns')) continue;
      if (![...rule.required, ...(rule.optional ?? [])].includes(name)) problems.push(`${local} ${name}`);
      if (uri === core && values[name]?.test(value) === false) problems.push(`${local} ${name}="${value}"`);
    }
    for (const name of rule.required) if (of(name) === undefined) problems.push(`${local} without ${name}`);
    if (of('subState') !== undefined && of('state') === undefined) problems.push('subState without state');
    if (local === 'file') {
      once(files, of('id'), 'file');
      units = new Set();
    } else if (local === 'unit') {
      once(units, of('id'), 'unit');
      const codes = { source: new Map(), target: new Map() };
      unit = { segments: new Set(), data: new Set(), refs: new Set(), codes, side: 'source' };
    } else if (!unit) return;
    else if (local === 'segment') {
      if (of('id') !== undefined) once(unit.segments, of('id'), 'segment');
    } else if (local === 'data') once(unit.data, of('id'), 'data');
    else if (local === 'source' || local === 'target') unit.side = local;
    else if (local === 'ph' || local === 'pc') {
      const codes = unit.codes[unit.side];
      if (codes.has(of('id') as string)) problems.push(`code ${of('id')} is there twice`);
      codes.set(of('id') as string, local);
      for (const name of ['dataRef', 'dataRefStart', 'dataRefEnd']) {
        const ref = of(name);
        if (ref !== undefined) unit.refs.add(ref);
      }
    }
  };
  parser.on('error', (error) => problems.push(error.message));
  parser.on('opentag', (tag) => {
    note(tag.local);
    opened(tag);
    path.push({ name: tag.local, children: '' });
  });
  parser.on('text', (text) => {
    const parent = path.at(-1);
    if (!parent) return;
    if (withText.has(parent.name)) {
      if (!parent.children.endsWith('text ')) note('text');
    } else if (text.trim() !== '') problems.push(`text in <${parent.name}>`);
  });
  parser.on('closetag', () => {
    const { name, children } = path.pop() as OpenElement;
    if (rules[name]?.children.test(children) === false) problems.push(`<${name}> has ${children}`);
    if (name !== 'unit' || !unit) return;
    for (const ref of unit.refs) if (!unit.data.has(ref)) problems.push(`no data ${ref}`);
    for (const id of unit.data) if (!unit.refs.has(id)) problems.push(`data ${id} is of no code`);
    const { source, target } = unit.codes;
    for (const id of unit.segments)
      if (source.has(id) || target.has(id)) problems.push(`segment ${id} has the id of a code`);
    for (const [id, kind] of target)
      if (source.has(id) && source.get(id) !== kind) problems.push(`code ${id} is another one in the source`);
    unit = undefined;
  });
  parser.write(xliff).close();
  return problems;
}
