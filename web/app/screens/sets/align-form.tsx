import { ArrowLeftRight, X } from 'lucide-react';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { TranslationMemorySet } from '#sdk/types.ts';
import { allExtensions } from '#server/formats/layout-kinds.ts';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { Group } from '../../kit/check-group.tsx';
import { Field } from '../../kit/field.tsx';
import { Select } from '../../kit/select.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect, useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { maxNameLength } from '../../terms/use-new-glossary.ts';
import { useDefaultLanguages } from '../general/default-languages.ts';
import { FileInput } from './file-input.tsx';
import type { AlignmentWork } from './kept-alignment.ts';

type Side = 'source' | 'target';
const sides: readonly Side[] = ['source', 'target'];

/** The extensions that the file dialog offers. */
const accepted = [...new Set(['csv', 'htm', 'html', 'json', 'md', 'txt', 'xml', ...allExtensions])]
  .map((extension) => `.${extension}`)
  .join(',');

/** Rejections of the service, with the side to which they refer if their text does not begin with its field. */
const refusals: readonly (readonly [message: RegExp, text: MessageId])[] = [
  [/does not seem to be a translation/, 'align.unrelated'],
  [/is not translated/, 'align.not_translated'],
  [/has no text|is empty/, 'align.no_text'],
  [/unsupported type/, 'align.unsupported'],
];

/**
 * The files, their languages and the memory that gets their pairs.
 * @param first the ID of the memory that is selected at first
 */
export function AlignForm({
  sets,
  first,
  onAligned,
}: {
  sets: readonly TranslationMemorySet[];
  first: string | undefined;
  onAligned: (work: AlignmentWork) => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const form = useAlignment({ sets, first, onAligned });
  const { set, languages, isBusy, problemOf } = form;
  return (
    <Stack as="form" gap={4} onSubmit={form.submit} noValidate>
      <p className="hint">{t('align.what')}</p>
      <Grid least={18}>
        <Select
          label={t('align.into')}
          value={set?.id ?? ''}
          options={[
            { value: '', name: t('align.new_memory') },
            ...sets.map((one) => ({
              value: one.id,
              name: one.name,
              why: `${nameOf(one.source_lang)} → ${nameOf(one.target_lang)}`,
            })),
          ]}
          onChange={form.setSetId}
        />
        {!set && (
          <Field
            label={t('sets.name')}
            value={form.name}
            maxLength={maxNameLength}
            dir="auto"
            autoComplete="off"
            problem={form.nameProblem}
            onValue={form.setName}
          />
        )}
      </Grid>
      <Grid least={18}>
        {sides.map((side) => (
          <FileSide
            key={side}
            title={t(side === 'source' ? 'align.source_file' : 'align.target_file')}
            file={form.files[side]}
            problem={problemOf(side)}
            isBusy={isBusy}
            onFile={(file) => form.choose(side, file)}
          >
            {set ? (
              <p className="hint">{nameOf(languages[side])}</p>
            ) : (
              <LanguageSelect
                label={t('align.language')}
                value={languages[side]}
                any={t('sets.choose_one')}
                onChange={(code) => form.setLanguage(side, code)}
              />
            )}
          </FileSide>
        ))}
      </Grid>
      {form.unplaced ? <Problem error={form.unplaced} /> : null}
      <div className="actions">
        <button type="submit" className="primary" aria-disabled={isBusy}>
          {t('align.start')}
        </button>
        {isBusy ? (
          <>
            <button type="button" onClick={form.cancel}>
              {t('common.cancel')}
            </button>
            <Row as="span">
              <progress aria-label={t('align.running')} /> {t('align.running')}
            </Row>
          </>
        ) : (
          <button type="button" onClick={form.swap}>
            <ArrowLeftRight size={16} aria-hidden /> {t('align.swap')}
          </button>
        )}
      </div>
    </Stack>
  );
}

/** The choices of the member, and their submission. */
function useAlignment({ sets, first, onAligned }: Parameters<typeof AlignForm>[0]) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [setId, setSetId] = useState(sets.some(({ id }) => id === first) ? first! : '');
  const [name, setName] = useState('');
  const [files, setFiles] = useState<Partial<Record<Side, File>>>({});
  const defaults = useDefaultLanguages();
  const [chosen, setChosen] = useState({
    source: defaults?.source ?? '',
    target: defaults?.targets[0] ?? '',
  });
  const [wasSent, setWasSent] = useState(false);
  /** The error about files that the member has replaced since. */
  const [outdated, setOutdated] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  const set = sets.find(({ id }) => id === setId);
  const languages = set ? { source: set.source_lang, target: set.target_lang } : chosen;
  const isNameTaken = sets.some((other) => other.name === name.trim());
  const { problemOf, unplaced } = useProblems({
    files,
    languages,
    wasSent,
    error: error === outdated ? undefined : error,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    const { source, target } = files;
    const isNamed = set !== undefined || (name.trim() !== '' && !isNameTaken);
    if (!source || !target || !isNamed || sides.some((side) => problemOf(side, true))) return;
    void align(source, target);
  };
  const align = (source: File, target: File) =>
    run(async () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      try {
        const request = { source_lang: languages.source, target_lang: languages.target };
        const { links } = await client.memory.align(source, target, request, { signal });
        onAligned({
          into: set ? { id: set.id, name: set.name } : { name: name.trim() },
          languages,
          files: { source: source.name, target: target.name },
          links: links.map(({ source_sentences: sources, target_sentences: targets, confidence }) => ({
            ...{ sources, targets, confidence },
          })),
          least: 0.9,
        });
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
      }
    })();
  const choose = (side: Side, file: File | undefined) => {
    setOutdated(error);
    setFiles(({ [side]: _, ...others }) => (file ? { ...others, [side]: file } : others));
  };
  const swap = () => {
    setOutdated(error);
    setFiles(({ source, target }) => ({
      ...(target && { source: target }),
      ...(source && { target: source }),
    }));
    if (!set) setChosen(({ source, target }) => ({ source: target, target: source }));
  };
  return {
    ...{ set, languages, files, name, isBusy, problemOf, unplaced, submit, choose, swap, setSetId, setName },
    nameProblem: isNameTaken
      ? t('align.name_taken')
      : wasSent && name.trim() === ''
        ? t('sets.no_name')
        : undefined,
    setLanguage: (side: Side, code: string) => setChosen((before) => ({ ...before, [side]: code })),
    cancel: () => abort.current?.abort(),
  };
}

/** The problems of each side, and an error that is about none of them. */
function useProblems({
  files,
  languages,
  wasSent,
  error,
}: {
  files: Partial<Record<Side, File>>;
  languages: Record<Side, string>;
  wasSent: boolean;
  error: unknown;
}) {
  const t = useT();
  const { bytes } = useFormat();
  const detail =
    error instanceof LinguaLoopError && typeof error.detail === 'string' ? error.detail : undefined;
  const refusedSide = sides.find((side) => detail?.startsWith(`${side}_file`));
  const problemOf = (side: Side, isSending = wasSent): string | undefined => {
    const file = files[side];
    if (!file) return isSending ? t('sets.no_file') : undefined;
    if (file.size > deployment.maxUploadBytes)
      return t('sets.file_too_large', { most: bytes(deployment.maxUploadBytes) });
    if (isSending && languages[side] === '') return t('align.no_language');
    if (isSending && side === 'target' && languages.source === languages.target)
      return t('sets.same_language');
    if (side !== refusedSide || isSending !== wasSent) return undefined;
    const known = refusals.find(([message]) => message.test(detail!));
    return known ? t(known[1]) : t('align.unreadable', { reason: detail!.replace(/^\w+:? ?/, '') });
  };
  const isShown = error instanceof LinguaLoopError && refusedSide === undefined;
  return { problemOf, unplaced: isShown ? error : undefined };
}

/** The file of one side. */
function FileSide({
  title,
  file,
  problem,
  isBusy,
  onFile,
  children,
}: {
  title: string;
  file: File | undefined;
  problem: string | undefined;
  isBusy: boolean;
  onFile: (file: File | undefined) => void;
  children: ReactNode;
}) {
  const t = useT();
  return (
    <Card>
      <Group label={title} isDisabled={isBusy}>
        <Stack gap={3}>
          {children}
          <FileInput
            accept={accepted}
            aria-label={`${title}: ${t('align.select_file')}`}
            aria-invalid={problem ? true : undefined}
            files={file ? [file] : []}
            onFiles={([chosen]) => onFile(chosen)}
          />
          {file && (
            <button type="button" className="small" onClick={() => onFile(undefined)}>
              <X size={14} aria-hidden /> {t('align.remove_file', { name: file.name })}
            </button>
          )}
          {problem && (
            <p className="field-problem" role="alert">
              {problem}
            </p>
          )}
        </Stack>
      </Group>
    </Card>
  );
}
