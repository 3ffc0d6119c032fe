import { useQuery } from '@tanstack/react-query';
import { Ban, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import type { GlossaryEntry, TerminologySet } from '#sdk/types.ts';
import {
  fieldLimits,
  genders,
  partsOfSpeech,
  pictureUrl,
  termStatuses,
} from '#server/formats/term-fields.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { announce } from '../../parts/announcer.tsx';
import { Dialog, FormActions } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { LanguageText, languageOf } from '../../parts/language-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { TermProblem } from './term-edit-row.tsx';
import styles from './terms.module.css';
import { type TermInput, termOf, type useTerms } from './use-terms.ts';

type Changes = Pick<ReturnType<typeof useTerms>, 'add' | 'remove' | 'update'>;

/** All fields of a term, at the side of the list, and the other translations of its source that are allowed or forbidden. */
export function TermSheet({
  set,
  entry,
  terms,
  onClose,
}: {
  set: TerminologySet;
  entry: GlossaryEntry;
  terms: Changes;
  onClose: () => void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [term, setTerm] = useState(() => termOf(entry));
  const change = (changed: Partial<TermInput>) => setTerm((before) => ({ ...before, ...changed }));
  const save = (base: GlossaryEntry) =>
    run(async () => {
      await terms.update(base, term);
      announce(t('sets.term_saved', { term: term.source_term }));
      onClose();
    });
  const source = (
    <bdi translate="no" {...languageOf(entry.source_lang ?? 'auto')}>
      {entry.source_term}
    </bdi>
  );
  return (
    <Dialog title={source} className={styles.sheet} isBusy={isBusy} onClose={onClose}>
      <form onSubmit={save(entry)}>
        <Fields term={term} onChange={change}>
          <SameSource set={set} entry={entry} terms={terms} />
        </Fields>
        {error !== undefined && (
          <TermProblem
            error={error}
            entry={entry}
            isBusy={isBusy}
            onKeep={(present) => void save(present)()}
            onClose={onClose}
          />
        )}
        <FormActions action={t('sets.save')} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function Fields({
  term,
  onChange,
  children,
}: {
  term: TermInput;
  onChange: (change: Partial<TermInput>) => void;
  /** Shown between the short fields and the long ones. */
  children: ReactNode;
}) {
  const t = useT();
  const isKept = term.do_not_translate === true;
  const text = (name: 'source_term' | 'target_term', language: string | null) => ({
    ...languageOf(language ?? 'auto'),
    value: name === 'target_term' && isKept ? term.source_term : term[name],
    onValue: (value: string) => onChange({ [name]: value }),
    required: true,
    maxLength: 1000,
    autoComplete: 'off',
  });
  const area = (name: 'definition' | 'note', hint?: string) => (
    <label>
      {t(`sets.${name}`)}
      <textarea
        dir="auto"
        rows={3}
        maxLength={fieldLimits[name]}
        value={term[name] ?? ''}
        onChange={({ target }) => onChange({ [name]: target.value })}
      />
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
  const isPicture = !term.picture || pictureUrl(term.picture) !== null;
  return (
    <>
      <div className={styles.pair}>
        <Field label={t('sets.source')} {...text('source_term', term.source_lang)} />
        <Select
          label={t('sets.part_of_speech')}
          value={term.part_of_speech ?? ''}
          options={{
            '': t('sets.not_set'),
            ...Object.fromEntries(partsOfSpeech.map((one) => [one, t(`sets.part_${one}`)])),
          }}
          onChange={(value) => onChange({ part_of_speech: (value || null) as TermInput['part_of_speech'] })}
        />
        <Field label={t('sets.target')} {...text('target_term', term.target_lang)} disabled={isKept} />
        <Select
          label={t('sets.gender')}
          value={term.gender ?? ''}
          options={{
            '': t('sets.not_set'),
            ...Object.fromEntries(genders.map((one) => [one, t(`sets.gender_${one}`)])),
          }}
          onChange={(value) => onChange({ gender: (value || null) as TermInput['gender'] })}
        />
        <Select
          label={t('sets.status')}
          value={term.status ?? 'preferred'}
          options={Object.fromEntries(termStatuses.map((one) => [one, t(`sets.status_${one}`)]))}
          onChange={(value) =>
            onChange({
              status: value as TermInput['status'],
              ...(value === 'forbidden' && { do_not_translate: false }),
            })
          }
        />
        <Field
          label={t('sets.domain')}
          value={term.domain ?? ''}
          maxLength={fieldLimits.domain}
          dir="auto"
          onValue={(domain) => onChange({ domain })}
        />
      </div>
      {children}
      {area('definition', t('sets.definition_why'))}
      {area('note')}
      <Field
        label={t('sets.picture')}
        type="url"
        dir="ltr"
        placeholder="https://"
        value={term.picture ?? ''}
        maxLength={fieldLimits.picture}
        problem={isPicture ? undefined : t('sets.picture_https')}
        onValue={(picture) => onChange({ picture })}
      />
      {term.picture && isPicture && (
        <p className={styles.picture}>
          <a href={term.picture} target="_blank" rel="noopener noreferrer">
            {t('sets.picture_open')}
          </a>
        </p>
      )}
      <div className={styles.switches}>
        <label className="beside-field">
          <input
            type="checkbox"
            checked={isKept}
            disabled={term.status === 'forbidden'}
            onChange={({ target }) => onChange({ do_not_translate: target.checked })}
          />
          {t('sets.do_not_translate')}
        </label>
        <label className="beside-field">
          <input
            type="checkbox"
            checked={term.case_sensitive}
            onChange={({ target }) => onChange({ case_sensitive: target.checked })}
          />
          {t('sets.case_sensitive')}
        </label>
      </div>
    </>
  );
}

function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  /** The labels of the values. */
  options: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {Object.entries(options).map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The allowed and the forbidden translations of the same source. Each is a separate term, and is stored immediately. */
function SameSource({ set, entry, terms }: { set: TerminologySet; entry: GlossaryEntry; terms: Changes }) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  // The service compares the start of a term; terms that are longer are compared here.
  const request = {
    set_id: set.id,
    match: 'prefix',
    side: 'source',
    limit: 200,
    text: entry.source_term.slice(0, 200),
  } as const;
  const { data } = useQuery({
    queryKey: queryKeys.terminology.terms(set.id, request),
    queryFn: ({ signal }) => procedures.terminology.terms.query(request, { signal }),
  });
  const keyOf = (one: GlossaryEntry) =>
    `${one.source_lang} ${one.target_lang} ${one.case_sensitive ? one.source_term : one.source_term.toLowerCase()}`;
  const others = (data?.entries ?? []).filter(
    (one) => one.entry_no !== entry.entry_no && keyOf(one) === keyOf(entry),
  );
  const { source_lang, target_lang, source_term, case_sensitive } = entry;
  const shared = { source_lang, target_lang, source_term, case_sensitive, priority: entry.priority };
  const add = (status: 'allowed' | 'forbidden', word: string) =>
    run(async () => {
      await terms.add({ ...shared, target_term: word, status });
      announce(t('sets.term_added', { term: word }));
    })();
  return (
    <>
      {(['allowed', 'forbidden'] as const).map((status) => (
        <Words
          key={status}
          status={status}
          words={others.filter((one) => one.status === status)}
          language={entry.target_lang}
          isBusy={isBusy}
          onAdd={(word) => add(status, word)}
          onRemove={(one) => void run(() => terms.remove(one))()}
        />
      ))}
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

function Words({
  status,
  words,
  language,
  isBusy,
  onAdd,
  onRemove,
}: {
  status: 'allowed' | 'forbidden';
  words: readonly GlossaryEntry[];
  language: string | null;
  isBusy: boolean;
  onAdd: (word: string) => Promise<unknown>;
  onRemove: (word: GlossaryEntry) => void;
}) {
  const t = useT();
  const id = useId();
  const [word, setWord] = useState('');
  const onKeyDown = async (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    // The key must not save the term.
    event.preventDefault();
    if (word.trim() === '' || isBusy) return;
    await onAdd(word);
    setWord('');
  };
  return (
    <div className={styles.words}>
      <label htmlFor={id}>{t(`sets.words_${status}`)}</label>
      <div>
        {words.map((one) => (
          <span key={one.entry_no} className={styles.word}>
            {status === 'forbidden' && <Ban size={12} aria-hidden />}
            <LanguageText as="span" language={language ?? 'auto'}>
              {one.target_term}
            </LanguageText>
            <button
              type="button"
              className="ghost"
              disabled={isBusy}
              aria-label={t('sets.delete_term', { term: one.target_term })}
              onClick={() => onRemove(one)}
            >
              <X size={12} aria-hidden />
            </button>
          </span>
        ))}
        <input
          {...languageOf(language ?? 'auto')}
          id={id}
          value={word}
          maxLength={1000}
          autoComplete="off"
          enterKeyHint="enter"
          placeholder={t('sets.words_add')}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setWord(target.value)}
        />
      </div>
      {status === 'forbidden' && <span className="hint">{t('sets.words_forbidden_why')}</span>}
    </div>
  );
}
