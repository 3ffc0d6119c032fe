import { useQuery } from '@tanstack/react-query';
import { Ban, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
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
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Check, Field, NativeSelect, TextArea } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { LanguageText, languageOf } from '../../parts/language-text.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { type RowEditing, useRowFields } from './row-keys.tsx';
import styles from './terms.module.css';
import { presentTerm, type TermInput, termOf, type useTerms } from './use-terms.ts';

type Changes = Pick<ReturnType<typeof useTerms>, 'add' | 'remove' | 'update'>;

const otherStatuses = ['allowed', 'forbidden'] as const;
type OtherStatus = (typeof otherStatuses)[number];

/** Changes the fields of a term. */
type Change = (change: Partial<TermInput>) => void;

/** Maximum length of a term in UTF-16 units; a term has at most 500 code points. */
export const maxTermLength = 1000;

/**
 * The row of a term with all its fields, and the other translations of its source that are allowed or forbidden. Enter
 * saves it, Escape cancels. If another member has changed the term, the row shows the present one, and the member decides.
 */
export function TermEditRow({
  set,
  entry,
  terms,
  editing,
}: {
  set: TerminologySet;
  entry: GlossaryEntry;
  terms: Changes;
  editing: RowEditing;
}) {
  const t = useT();
  const first = useRef<HTMLInputElement>(null);
  const [start] = useState(() => termOf(entry));
  const [term, setTerm] = useState(start);
  // A reload of the list must not change what the member saw when editing began.
  const seen = useRef(entry);
  const [words, setWords] = useState({ allowed: '', forbidden: '' });
  const isTyped = `${words.allowed}${words.forbidden}`.trim() !== '';
  useRowFields(first, editing, isTyped || term !== start);
  const change: Change = (changed) => setTerm((before) => ({ ...before, ...changed }));
  const addWord = async (status: OtherStatus, of: Omit<TermInput, 'target_term'>) => {
    const { source_lang, target_lang, source_term, case_sensitive, priority } = of;
    const target_term = words[status];
    await terms.add({ source_lang, target_lang, source_term, case_sensitive, priority, target_term, status });
    announce(t('sets.term_added', { term: target_term }));
    setWords((all) => ({ ...all, [status]: '' }));
  };
  const save = async () => {
    for (const status of otherStatuses) if (words[status].trim() !== '') await addWord(status, term);
    await terms.update(seen.current, term);
    announce(t('sets.term_saved', { term: term.source_term }));
    editing.close();
  };
  return (
    <tr className={styles.edited} onKeyDown={editing.onKeyDown}>
      <td colSpan={4}>
        <Form
          action={t('sets.save')}
          onSubmit={save}
          onCancel={editing.close}
          problem={(error) => <TermProblem {...{ error, entry, seen }} onClose={editing.close} />}
        >
          <Fields set={set} term={term} first={first} onChange={change} />
          <SameSource
            {...{ set, entry, terms, words }}
            onWord={(word) => setWords((all) => ({ ...all, ...word }))}
            onAdd={(status) => addWord(status, entry)}
          />
          <Details term={term} onChange={change} />
        </Form>
      </td>
    </tr>
  );
}

/** Why a term was not saved. If another member has changed it, the member decides which one stays. */
function TermProblem({
  error,
  entry,
  seen,
  onClose,
}: {
  error: unknown;
  entry: GlossaryEntry;
  seen: RefObject<GlossaryEntry>;
  onClose: () => void;
}) {
  const t = useT();
  const present = presentTerm(error);
  if (!present) return <Problem error={error} />;
  if (present.entry_no !== entry.entry_no) return <p role="alert">{t('sets.term_exists')}</p>;
  const keep = () => {
    seen.current = present;
  };
  return (
    <Row role="alert">
      <p>
        {t('sets.term_changed')}{' '}
        <bdi translate="no">
          {present.source_term} → {present.target_term}
        </bdi>
      </p>
      <button type="submit" onClick={keep}>
        {t('sets.keep_mine')}
      </button>
      <button type="button" onClick={onClose}>
        {t('sets.take_theirs')}
      </button>
    </Row>
  );
}

/** The terms, and what a translation must do with them. */
function Fields({
  set,
  term,
  first,
  onChange,
}: {
  set: TerminologySet;
  term: TermInput;
  first: RefObject<HTMLInputElement | null>;
  onChange: Change;
}) {
  const t = useT();
  const isKept = term.do_not_translate === true;
  const text = { required: true, maxLength: maxTermLength, autoComplete: 'off' };
  return (
    <>
      <Grid least={16}>
        <Field
          {...text}
          {...languageOf(term.source_lang ?? 'auto')}
          ref={first}
          label={t('sets.source')}
          value={term.source_term}
          onValue={(source_term) => onChange({ source_term })}
        />
        <Field
          {...text}
          {...languageOf(term.target_lang ?? 'auto')}
          label={t('sets.target')}
          spellCheck
          // Such a term is its own translation.
          disabled={isKept}
          value={isKept ? term.source_term : term.target_term}
          onValue={(target_term) => onChange({ target_term })}
        />
      </Grid>
      <Grid least={10} align="end">
        {(['source', 'target'] as const).map(
          (side) =>
            set[`${side}_lang`] === null && (
              <LanguageSelect
                key={side}
                label={t(`sets.${side}_language`)}
                value={term[`${side}_lang`] ?? ''}
                any={t('sets.any_language')}
                onChange={(code) => onChange({ [`${side}_lang`]: code || null })}
              />
            ),
        )}
        <NativeSelect
          label={t('sets.status')}
          value={term.status ?? 'preferred'}
          options={termStatuses.map((one) => [one, t(`sets.status_${one}`)] as const)}
          onChange={(status) =>
            onChange({ status, ...(status === 'forbidden' && { do_not_translate: false }) })
          }
        />
        <NativeSelect
          label={t('sets.part_of_speech')}
          value={term.part_of_speech ?? ''}
          options={[
            ['', t('sets.not_set')],
            ...partsOfSpeech.map((one) => [one, t(`sets.part_${one}`)] as const),
          ]}
          onChange={(part) => onChange({ part_of_speech: part || null })}
        />
        <NativeSelect
          label={t('sets.gender')}
          value={term.gender ?? ''}
          options={[
            ['', t('sets.not_set')],
            ...genders.map((one) => [one, t(`sets.gender_${one}`)] as const),
          ]}
          onChange={(gender) => onChange({ gender: gender || null })}
        />
        <Field
          label={t('sets.domain')}
          value={term.domain ?? ''}
          maxLength={fieldLimits.domain}
          dir="auto"
          onValue={(domain) => onChange({ domain })}
        />
        <Field
          label={t('sets.priority_label')}
          type="number"
          step={1}
          value={String(term.priority)}
          onValue={(priority) => onChange({ priority: Number(priority) || 0 })}
        />
      </Grid>
    </>
  );
}

/** The fields that reviewers read, and those that decide how a term is found in a text. */
function Details({ term, onChange }: { term: TermInput; onChange: Change }) {
  const t = useT();
  const isPicture = !term.picture || pictureUrl(term.picture) !== null;
  return (
    <>
      <Grid least={16}>
        {(['definition', 'note'] as const).map((name) => (
          <TextArea
            key={name}
            label={t(`sets.${name}`)}
            hint={name === 'definition' && t('sets.definition_why')}
            rows={3}
            maxLength={fieldLimits[name]}
            value={term[name] ?? ''}
            onValue={(value) => onChange({ [name]: value })}
          />
        ))}
      </Grid>
      <Grid least={16} align="end">
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
        <Row gap={5}>
          {term.picture && isPicture && (
            <a href={term.picture} target="_blank" rel="noopener noreferrer">
              {t('sets.picture_open')}
            </a>
          )}
          <Check
            label={t('sets.do_not_translate')}
            isChecked={term.do_not_translate === true}
            isDisabled={term.status === 'forbidden'}
            onChange={(do_not_translate) => onChange({ do_not_translate })}
          />
          <Check
            label={t('sets.case_sensitive')}
            isChecked={term.case_sensitive}
            onChange={(case_sensitive) => onChange({ case_sensitive })}
          />
        </Row>
      </Grid>
    </>
  );
}

/** The allowed and the forbidden translations of the same source. Each is a separate term, and is stored immediately. */
function SameSource({
  set,
  entry,
  terms,
  words,
  onWord,
  onAdd,
}: {
  set: TerminologySet;
  entry: GlossaryEntry;
  terms: Changes;
  /** What is typed, and not added yet. */
  words: Record<OtherStatus, string>;
  onWord: (word: Partial<Record<OtherStatus, string>>) => void;
  onAdd: (status: OtherStatus) => Promise<void>;
}) {
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
  return (
    <Grid least={16}>
      {otherStatuses.map((status) => (
        <Words
          key={status}
          status={status}
          words={others.filter((one) => one.status === status)}
          language={entry.target_lang ?? 'auto'}
          isBusy={isBusy}
          word={words[status]}
          onWord={(word) => onWord({ [status]: word })}
          onAdd={run(() => onAdd(status))}
          onRemove={(one) => void run(() => terms.remove(one))()}
        />
      ))}
      {error !== undefined && <Problem error={error} />}
    </Grid>
  );
}

function Words({
  status,
  words,
  language,
  isBusy,
  word,
  onWord,
  onAdd,
  onRemove,
}: {
  status: OtherStatus;
  words: readonly GlossaryEntry[];
  language: string;
  isBusy: boolean;
  word: string;
  onWord: (word: string) => void;
  onAdd: () => unknown;
  onRemove: (word: GlossaryEntry) => void;
}) {
  const t = useT();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    // The key must not save the term.
    event.preventDefault();
    if (word.trim() !== '') onAdd();
  };
  return (
    <Stack gap={2}>
      <Field
        {...languageOf(language)}
        label={t(`sets.words_${status}`)}
        hint={status === 'forbidden' && t('sets.words_forbidden_why')}
        value={word}
        maxLength={maxTermLength}
        autoComplete="off"
        enterKeyHint="enter"
        placeholder={t('sets.words_add')}
        onKeyDown={onKeyDown}
        onValue={onWord}
      />
      <Row gap={1}>
        {words.map((one) => (
          <Badge key={one.entry_no} {...(status === 'forbidden' && { tone: 'bad' })}>
            {status === 'forbidden' && <Ban size={12} aria-hidden />}
            <LanguageText as="span" language={language}>
              {one.target_term}
            </LanguageText>
            <button
              type="button"
              className="ghost small"
              aria-disabled={isBusy}
              aria-label={t('sets.delete_term', { term: one.target_term })}
              onClick={() => onRemove(one)}
            >
              <X size={12} aria-hidden />
            </button>
          </Badge>
        ))}
      </Row>
    </Stack>
  );
}
