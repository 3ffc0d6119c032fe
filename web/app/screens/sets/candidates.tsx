import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import type { TermCandidates } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Stack } from '../../kit/box.tsx';
import { Field, Labelled, NativeSelect } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Text } from '../../kit/text.tsx';
import { UndoToast } from '../../kit/toast.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { glossaryService, useGlossaries } from '../../terms/use-glossaries.ts';
import { FileInput } from './file-input.tsx';

type Candidate = TermCandidates['candidates'][number];

interface Search {
  source_lang: string;
  target_lang: string;
}

/** A decision about a candidate, which can be undone. */
interface Decision {
  candidate: Candidate;
  done: string;
  undo(): Promise<unknown>;
}

/** `/app/glossaries/candidates`: words of TMs and files that could be terms. Nothing is enforced before it is accepted. */
export function CandidatesScreen() {
  const t = useT();
  const [search, setSearch] = useState<Search>();
  const [found, setFound] = useState<TermCandidates>();
  return (
    <>
      <title>{`${t('sets.candidates')} · LinguaLoop`}</title>
      <PageHead
        before={<Link to="/app/glossaries">{t('common.glossaries')}</Link>}
        title={t('sets.candidates')}
      />
      <p className="hint">{t('sets.candidates_what')}</p>
      <SearchForm
        onFound={(asked, result) => {
          setSearch(asked);
          setFound(result);
        }}
      />
      {search && found && (
        <Found
          key={`${search.source_lang} ${search.target_lang}`}
          search={search}
          found={found}
          onChange={setFound}
        />
      )}
    </>
  );
}

/** Maximum bytes of all files: in base64, they are part of a request of at most 10 MB. */
const maxBytes = 7_000_000;

function SearchForm({ onFound }: { onFound: (search: Search, found: TermCandidates) => void }) {
  const t = useT();
  const [search, setSearch] = useState<Search>({ source_lang: '', target_lang: '' });
  const [least, setLeast] = useState('5');
  const [files, setFiles] = useState<File[]>([]);
  const isLarge = files.reduce((sum, { size }) => sum + size, 0) > maxBytes;
  const find = async () => {
    const found = await glossaryService.candidates({
      ...search,
      min_count: Number(least),
      files: await Promise.all(files.map(contentOf)),
    });
    announce(t('sets.candidates_found', { count: found.candidates.length }));
    onFound(search, found);
  };
  return (
    <Form
      action={t('sets.candidates_find')}
      isReady={search.source_lang !== '' && search.target_lang !== '' && !isLarge}
      onSubmit={find}
    >
      <Grid least={13} align="end">
        {(['source_lang', 'target_lang'] as const).map((side) => (
          <LanguageSelect
            key={side}
            label={t(side === 'source_lang' ? 'sets.source_language' : 'sets.target_language')}
            first={{ value: '', name: t('sets.choose_one') }}
            value={search[side]}
            onChange={(code) => setSearch({ ...search, [side]: code })}
          />
        ))}
        <Field
          label={t('sets.candidates_least')}
          type="number"
          min={2}
          max={10_000}
          required
          value={least}
          onValue={setLeast}
        />
      </Grid>
      <Labelled label={t('sets.candidates_files')} problem={isLarge ? t('sets.candidates_large') : undefined}>
        {(control) => (
          <FileInput
            {...control}
            multiple
            files={files}
            onFiles={(chosen) => setFiles(chosen.slice(0, 10))}
          />
        )}
      </Labelled>
    </Form>
  );
}

async function contentOf(file: File): Promise<{ file_name: string; content: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return { file_name: file.name, content: btoa(text) };
}

function Found({
  search,
  found,
  onChange,
}: {
  search: Search;
  found: TermCandidates;
  onChange: (found: TermCandidates) => void;
}) {
  const t = useT();
  const [chosen, setChosen] = useState<Candidate>();
  const [last, setLast] = useState<Decision & { at: number }>();
  const { candidates } = found;
  const shown = candidates.find((one) => one === chosen) ?? candidates[0];
  const decided = (decision: Decision) => {
    const at = candidates.indexOf(decision.candidate);
    setLast({ ...decision, at });
    setChosen(candidates[at + 1]);
    onChange({ ...found, candidates: candidates.toSpliced(at, 1) });
  };
  return (
    <>
      {last && (
        <UndoToast
          key={last.candidate.term}
          change={last}
          done={last.done}
          onUndo={async () => {
            await last.undo();
            onChange({ ...found, candidates: candidates.toSpliced(last.at, 0, last.candidate) });
            setChosen(last.candidate);
            setLast(undefined);
            return t('sets.undone_decision');
          }}
          onOver={() => setLast(undefined)}
        />
      )}
      {shown ? (
        <div className="list-details">
          <CandidateList candidates={candidates} shown={shown} onOpen={setChosen} />
          <Detail key={shown.term} of={shown} search={search} onDecided={decided} />
        </div>
      ) : (
        <p className="notice">{t('sets.no_candidates')}</p>
      )}
    </>
  );
}

function CandidateList({
  candidates,
  shown,
  onOpen,
}: {
  candidates: readonly Candidate[];
  shown: Candidate;
  onOpen: (candidate: Candidate) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = candidates[candidates.indexOf(shown) + step];
    if (step === 0 || !next) return;
    event.preventDefault();
    onOpen(next);
    const button = (event.target as Element).closest('li');
    (step === 1 ? button?.nextElementSibling : button?.previousElementSibling)
      ?.querySelector('button')
      ?.focus();
  };
  return (
    <ul className="bare" aria-label={t('sets.candidates')} onKeyDown={move}>
      {candidates.map((one) => (
        <li key={one.term}>
          <button
            type="button"
            aria-current={one === shown || undefined}
            tabIndex={one === shown ? 0 : -1}
            onClick={() => onOpen(one)}
          >
            <bdi>{one.term}</bdi>
            <Text tone="soft">{number(one.count)}</Text>
            <small>{one.targets[0]?.target ?? (one.is_name ? t('sets.candidate_name') : '')}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Detail({
  of: candidate,
  search,
  onDecided,
}: {
  of: Candidate;
  search: Search;
  onDecided: (decision: Decision) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const glossaries = useGlossaries();
  const { run, error, isBusy } = useAction();
  const [source, setSource] = useState(candidate.term);
  const [target, setTarget] = useState(
    candidate.targets[0]?.target ?? (candidate.is_name ? candidate.term : ''),
  );
  const [setId, setSetId] = useState('');
  const accept = async (target_term: string, do_not_translate = false) => {
    const set = setId || (glossaries.data?.[0]?.id ?? '');
    const undo = await addTerm(set, { ...search, source_term: source, target_term, do_not_translate });
    onDecided({ candidate, undo, done: t('sets.candidate_accepted', { term: source }) });
  };
  const isNone = glossaries.data?.length === 0;
  const keep = run(() => accept(source, true));
  const reject = run(async () => {
    const undo = await rejectForms(candidate, search.source_lang);
    onDecided({ candidate, undo, done: t('sets.candidate_rejected', { term: candidate.term }) });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.target as Element).matches('input, select') || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === 'r') void reject();
    if (event.key === 'd') void keep();
  };
  return (
    <Stack as="section" gap={4} aria-label={candidate.term} onKeyDown={onKeyDown}>
      <p className="hint">
        {t('sets.candidate_counts', {
          count: number(candidate.count),
          forms: candidate.forms.map(({ form }) => form).join(', '),
        })}
      </p>
      <Form
        action={
          <>
            {t('sets.candidate_accept')} <kbd>⏎</kbd>
          </>
        }
        isReady={!isNone}
        onSubmit={() => accept(target)}
        others={
          <>
            <button type="button" aria-disabled={isBusy} onClick={reject}>
              {t('sets.candidate_reject')} <kbd>R</kbd>
            </button>
            <button type="button" aria-disabled={isBusy} disabled={isNone} onClick={keep}>
              {t('sets.candidate_keep')} <kbd>D</kbd>
            </button>
          </>
        }
      >
        <Grid least={12} align="end">
          <Field
            label={t('sets.candidate_term')}
            required
            maxLength={500}
            lang={search.source_lang}
            value={source}
            onValue={setSource}
          />
          <Field
            label={t('sets.target')}
            required
            maxLength={500}
            lang={search.target_lang}
            value={target}
            onValue={setTarget}
          />
          <Read from={glossaries}>
            {(sets) => (
              <NativeSelect
                label={t('sets.candidate_glossary')}
                value={setId}
                options={sets.map(({ id, name }) => [id, name])}
                onChange={setSetId}
              />
            )}
          </Read>
        </Grid>
        <KnownTargets of={candidate.targets} language={search.target_lang} onChoose={setTarget} />
        {error ? <Problem error={error} /> : null}
        {glossaries.data?.length === 0 && <p className="hint">{t('sets.candidate_no_glossary')}</p>}
      </Form>
      <Contexts of={candidate.contexts} search={search} />
    </Stack>
  );
}

/** The translations of a candidate in TMs, from which one can be chosen. */
function KnownTargets({
  of,
  language,
  onChoose,
}: {
  of: Candidate['targets'];
  language: string;
  onChoose: (target: string) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  if (of.length === 0) return null;
  return (
    <p>
      {t('sets.candidate_in_tm')}{' '}
      {of.map(({ target, count }) => (
        <button type="button" className="ghost" key={target} onClick={() => onChoose(target)}>
          <bdi lang={language}>{target}</bdi> {number(count)}
        </button>
      ))}
    </p>
  );
}

/** Adds a term to a glossary. Returns a function that deletes it. */
async function addTerm(
  set_id: string,
  term: Search & { source_term: string; target_term: string; do_not_translate: boolean },
): Promise<Decision['undo']> {
  const { entry } = await procedures.terminology.addTerm.mutate({
    set_id,
    term: { ...term, case_sensitive: false, priority: 0 },
  });
  const { entry_no, ...replaces } = entry;
  return () => procedures.terminology.deleteTerm.mutate({ set_id, entry_no, replaces });
}

/** Rejects all forms of a candidate. Returns a function that undoes it. */
async function rejectForms({ forms }: Candidate, source_lang: string): Promise<Decision['undo']> {
  const request = { source_lang, terms: forms.map(({ form }) => form) };
  await glossaryService.rejectCandidates(request);
  return () => glossaryService.rejectCandidates({ ...request, rejected: false });
}

/** Sentences with the candidate, from TMs and files. */
function Contexts({ of, search }: { of: Candidate['contexts']; search: Search }) {
  const t = useT();
  return (
    <>
      <Text as="h2" size="md">
        {t('sets.candidate_contexts')}
      </Text>
      <ul className="rows">
        {of.map((context, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: contexts have no ID, and do not change
          <Stack as="li" gap={0} key={at}>
            <bdi lang={search.source_lang}>{context.source}</bdi>
            {context.target !== null && (
              <bdi lang={search.target_lang} className="hint">
                {context.target}
              </bdi>
            )}
            <Text as="small" tone="soft">
              {context.from}
            </Text>
          </Stack>
        ))}
      </ul>
    </>
  );
}
