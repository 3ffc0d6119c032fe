/** Attributes that browsers read: a translation in one of them would be code, or break the page. */
const codeAttributes: ReadonlySet<string> = new Set(
  'action allow background cite class data dir for formaction href http-equiv id integrity is lang media name nonce ping poster rel sandbox sizes slot src srcdoc srcset style target type'.split(
    ' ',
  ),
);

/** Whether an attribute never has a text, also if a workspace names it. */
export const isCodeAttribute = (name: string): boolean =>
  codeAttributes.has(name.toLowerCase().replace(/^.*:/, '')) || /^on[a-z]+$/i.test(name);

/** Whether a key of front matter has programs of a page, also if a workspace names it. */
export const isCodeKey = (name: string): boolean => /^(?:head|scripts?|styles?)$/i.test(name);
