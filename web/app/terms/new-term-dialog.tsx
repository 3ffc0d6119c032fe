import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { readLanguage } from '#server/languages.ts';
import { useT } from '../i18n.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Check, Field, NativeSelect } from '../kit/field.tsx';
import { Form } from '../kit/form.tsx';
import { announce } from '../parts/announcer.tsx';
import { LanguageText, languageOf } from '../parts/language-text.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { Read } from '../parts/loading.tsx';
import { queryKeys } from '../query-keys.ts';
import { glossaryService, useGlossaries } from './use-glossaries.ts';
import { isNameTaken, maxNameLength, useNewGlossary } from './use-new-glossary.ts';

/** Initial values of the dialog's fields. */
export interface Term {
  source: string;
  target: string;
}

interface Props {
  term: Term;
  sourceLang: string;
  targetLang: string;
  onClose: () => void;
}

/**
 * For each language pair, the glossary to which the last term was added, until the page is reloaded. It is selected
 * first, because the next term usually belongs to the same glossary.
 */
const lastGlossary = new Map<string, string>();

/**
 * A dialog that adds a term with its translation to one of the workspace's glossaries for these languages. If there is
 * none, it creates one first.
 */
export function NewTermDialog(props: Props) {
  const t = useT();
  const glossaries = useGlossaries();
  const { sourceLang, targetLang } = props;
  const fits = (tag: string | null, language: string) => tag === null || readLanguage(tag) === language;
  return (
    <Dialog title={t('terms.title')} onClose={props.onClose}>
      <Read from={glossaries} lines={6}>
        {(all) => {
          const sets = all.filter(
            (set) => fits(set.source_lang, sourceLang) && fits(set.target_lang, targetLang),
          );
          return <TermForm {...props} sets={sets} />;
        }}
      </Read>
    </Dialog>
  );
}

const termField = { required: true, maxLength: 1000, autoComplete: 'off' };

function TermForm({
  term,
  sourceLang,
  targetLang,
  onClose,
  sets,
}: Props & { sets: readonly { id: string; name: string }[] }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const queries = useQueryClient();
  const pair = `${sourceLang} ${targetLang}`;
  const [source, setSource] = useState(term.source);
  const [target, setTarget] = useState(term.target);
  const [isCaseSensitive, setCaseSensitive] = useState(false);
  const [chosen, setChosen] = useState(() => lastGlossary.get(pair));
  const selected = sets.find(({ id }) => id === chosen) ?? sets[0];
  const [name, setName] = useState(t('sets.pair', { from: nameOf(sourceLang), to: nameOf(targetLang) }));
  const create = useNewGlossary();
  const [added, setAdded] = useState<{ name: string; others: readonly string[] }>();
  const first = useRef<HTMLInputElement>(null);
  // Runs after the dialog has opened, because opening a dialog moves the focus to its first field.
  useEffect(() => first.current?.focus(), []);
  const add = async () => {
    const languages = { source_lang: sourceLang, target_lang: targetLang };
    // If the term is then rejected, the new glossary is in the list, and a second attempt adds the term to it.
    const { id: setId } = selected ?? (await create({ name, ...languages }));
    setChosen(setId);
    const { set, other_targets: others } = await glossaryService.addEntry({
      set_id: setId,
      ...languages,
      source_term: source,
      target_term: target,
      case_sensitive: isCaseSensitive,
    });
    lastGlossary.set(pair, setId);
    announce(t('terms.added', { name: set.name }));
    void queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
    if (others.length === 0) onClose();
    else setAdded({ name: set.name, others });
  };
  if (added) return <OtherTargets {...added} language={targetLang} onClose={onClose} />;
  return (
    <Form
      action={t(selected ? 'terms.add' : 'terms.create_and_add')}
      onSubmit={add}
      onCancel={onClose}
      problem={(error) => (isNameTaken(error) && !selected ? false : null)}
    >
      {({ error }) => (
        <>
          <Field
            {...languageOf(sourceLang)}
            label={t('terms.source', { language: nameOf(sourceLang) })}
            {...termField}
            value={source}
            onValue={setSource}
            name="source_term"
            ref={term.source === '' ? first : null}
          />
          <Field
            {...languageOf(targetLang)}
            label={t('terms.target', { language: nameOf(targetLang) })}
            {...termField}
            value={target}
            onValue={setTarget}
            name="target_term"
            spellCheck
            ref={term.source === '' ? null : first}
          />
          {selected ? (
            <NativeSelect
              label={t('terms.glossary')}
              value={selected.id}
              options={sets.map((set) => [set.id, set.name])}
              onChange={setChosen}
            />
          ) : (
            <>
              <p>
                {t('terms.none')} <Link to="/app/glossaries">{t('terms.to_glossaries')}</Link>
              </p>
              <Field
                label={t('terms.new_glossary')}
                value={name}
                onValue={setName}
                problem={isNameTaken(error) ? t('sets.name_taken') : undefined}
                required
                maxLength={maxNameLength}
                dir="auto"
                autoComplete="off"
              />
            </>
          )}
          <Check label={t('terms.case_sensitive')} isChecked={isCaseSensitive} onChange={setCaseSensitive} />
        </>
      )}
    </Form>
  );
}

/** Shown after a term was added, if the glossary has other translations of the same source term. */
function OtherTargets({
  name,
  others,
  language,
  onClose,
}: {
  name: string;
  others: readonly string[];
  language: string;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <>
      <p>{t('terms.added', { name })}</p>
      <p>{t('terms.others', { name })}</p>
      <ul>
        {others.map((other) => (
          <li key={other}>
            <LanguageText as="span" language={language}>
              {other}
            </LanguageText>
          </li>
        ))}
      </ul>
      <button ref={(button) => button?.focus()} type="button" onClick={onClose}>
        {t('keys.close')}
      </button>
    </>
  );
}
