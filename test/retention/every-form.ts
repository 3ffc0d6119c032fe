import { viaRpc } from '#test/contract/call.ts';
import { addSegmentation, addStyleGuide } from '#test/factories.ts';
import { type Administrator, call, type Place, upload } from './workspace-copy.ts';

const csv = `source_term,target_term,source_lang,target_lang,case_sensitive,priority,status,note,definition,part_of_speech,gender,domain,do_not_translate,picture
deposit,fianza,en,es,no,3,preferred,"for flats, not banks",money that is held,noun,feminine,law,,https://a.example/p.png
deposit,garantía,en,es,no,0,allowed,,,,,,,
deposit,depósito,en,es,no,0,forbidden,"says ""no""",,,,,,
Acme,Acme,en,es,yes,0,,,,proper_noun,,,yes,
lift,elevador,en-US,es-MX,no,0,,"first line
second line; and = more",,,,,,
'=sum,suma,,,no,-2,,,,,,,,
'+plus,-minus,,,no,0,,'=1+1,@a,,,,,
`;

const unit = (source: string, target: string, { date = '20240102T030405Z', props = '' } = {}) =>
  `<tu tuid="t ${source.replace(/&.*/, '')}" changedate="${date}">${props}<tuv xml:lang="en"><seg>${source}</seg></tuv><tuv xml:lang="es"><seg>${target}</seg></tuv></tu>`;
const neighbors = (before: string, after: string) =>
  `<prop type="x-context-pre">${before}</prop><prop type="x-context-post">${after}</prop>`;
const tmx = `<?xml version="1.0"?><tmx version="1.4"><header creationtool="x" creationtoolversion="1" datatype="plaintext" segtype="sentence" adminlang="en" srclang="en" o-tmf="x"/><body>${[
  unit('One day.', 'Un día.'),
  unit('Two &amp; &lt;three&gt;', 'Dos y «tres» "cuatro"', { props: neighbors('One day.', '') }),
  unit('First line.\nSecond\tline.', 'Primera línea.\n\nSegunda\tlínea.', { props: neighbors('One', 'Two') }),
  unit('=SUM(A1)', '+SUMA(A1)', { date: '' }),
  unit('Other day.', 'Cierto día.', { date: '20230102T030405Z' }),
].join('')}</body></tmx>`;

/** The terms and the units that `addEveryForm` adds. Of two of the units, the source is the same. */
export const added = { terms: 8, units: 5 };

/**
 * Adds sets, terms, units and rules with all that they can have: regions, all fields and forbidden words, quotes, line
 * breaks and cells that look like formulas, contexts, a unit without a time, and two translations of one source.
 */
export async function addEveryForm(at: Place, who: Administrator): Promise<void> {
  const file = (content: string, name: string, type: string) => new File([content], name, { type });
  await upload(at, who, '/api/terminology', {
    name: 'Rent: “all/terms”',
    terminology_file: file(csv, 'terms.csv', 'text/csv'),
  });
  await upload(at, who, '/api/terminology', {
    ...{ name: 'Declared', source_lang: 'en-US', target_lang: 'fr' },
    terminology_file: file('key,clé\n', 'terms.csv', 'text/csv'),
  });
  const set_id = await upload(at, who, '/api/tm', {
    ...{ name: 'House/style', source_lang: 'en', target_lang: 'es' },
    tmx_file: file(tmx, 'memory.tmx', 'application/xml'),
  });
  await call(at, who, 'memory.setPenalty', { set_id, penalty: 3, age_penalty: 1 });
  const { body } = await viaRpc(
    at,
    { path: 'memory.browse', type: 'query' },
    { input: { set_id }, headers: who.bearer },
  );
  const { unit_no, source_text, target_text } = body.units.find(
    (one: { source_text: string }) => one.source_text === 'Other day.',
  );
  const texts = { source_text: 'One day.', target_text };
  await call(at, who, 'memory.updateUnit', {
    set_id,
    unit_no,
    replaces: { source_text, target_text },
    ...texts,
  });
  await addStyleGuide(at, who, {
    ...{ target_lang: 'es', rules: 'Be “brief”.\n\nAnd = friendly.' },
    ...{ quotation_marks: '«»', spacing: 'none', formality: 'formal' },
    forbidden_words: [
      { term: 'usar', use_instead: 'utilizar' },
      { term: '=coger "esto"', use_instead: null },
    ],
  });
  await addSegmentation(at, who, 'Rules');
}
