import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { TerminologySet, UploadedTerminologySet } from '#sdk/types.ts';
import { glossaryExtensions } from '#server/formats/glossary-kinds.ts';
import { useT } from '../../i18n.tsx';
import { Grid } from '../../kit/box.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { queryKeys } from '../../query-keys.ts';
import { glossaryService, useGlossaries } from '../../terms/use-glossaries.ts';
import { isNameTaken, maxNameLength, useNewGlossary } from '../../terms/use-new-glossary.ts';
import { shareOf, type UploadShare } from '../../upload.ts';
import { useDefaultLanguages } from '../general/default-languages.ts';
import { SetTable } from './set-table.tsx';
import { type SetFields, UploadForm, UploadSection } from './upload-form.tsx';

/** `/app/glossaries`: the workspace's glossaries, and the upload form. */
export function GlossariesScreen() {
  const t = useT();
  const { listOf } = useFormat();
  const queries = useQueryClient();
  const glossaries = useGlossaries();
  const [preview, setPreview] = useState<{ file: File; name: string; revision: string | null }>();
  const [isCreating, setCreating] = useState(false);
  const [uploaded, setUploaded] = useState<UploadedTerminologySet>();

  const compare = async (file: File, fields: SetFields) => {
    const found = await previewFile(file, fields);
    setPreview(found && { file, name: fields.name, revision: found.revision });
    return found;
  };
  const send = async (file: File, fields: SetFields, onProgress: UploadShare) => {
    const previewed = preview?.file === file && preview.name === fields.name ? preview : undefined;
    const set = previewed
      ? await glossaryService.applyPreview(file, { ...setFields(fields), revision: previewed.revision })
      : await glossaryService.upload(file, setFields(fields), { onUploadProgress: shareOf(onProgress) });
    await queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
    return () => {
      setUploaded(set);
      announce(t('sets.uploaded', { name: set.name, count: set.entry_count }));
    };
  };
  return (
    <>
      <title>{`${t('common.glossaries')} · LinguaLoop`}</title>
      <PageHead title={t('common.glossaries')}>
        <Link to="/app/glossaries/candidates">{t('sets.candidates')}</Link>
        <button type="button" onClick={() => setCreating(true)}>
          <Plus size={16} aria-hidden /> {t('sets.new_glossary')}
        </button>
      </PageHead>
      {isCreating && <NewGlossaryDialog onClose={() => setCreating(false)} />}
      <Read from={glossaries} lines={8}>
        {(sets) => (
          <>
            {sets.length === 0 && <p>{t('sets.no_glossary')}</p>}
            <UploadSection title={t('sets.upload_glossary')} isOpenFirst={sets.length === 0}>
              <UploadForm
                accept={glossaryExtensions.map((kind) => `.${kind}`).join(',')}
                hint={t('sets.glossary_file', {
                  types: listOf(glossaryExtensions.map((kind) => kind.toUpperCase())),
                })}
                isPairNeeded={(file) => /\.t[bm]x$/i.test(file?.name ?? '')}
                names={sets.map(({ name }) => name)}
                preview={compare}
                send={send}
              />
              {uploaded && <Uploaded set={uploaded} />}
            </UploadSection>
            {sets.length > 0 && <GlossaryTable sets={sets} />}
          </>
        )}
      </Read>
    </>
  );
}

/** Maximum bytes of a file that can be previewed: in base64, it is part of a request of at most 10 MB. */
const maxPreviewed = 7_000_000;

/** Compares a file with the glossary that it would replace. @returns undefined if the file is too large for that */
async function previewFile(file: File, fields: SetFields) {
  return file.size > maxPreviewed ? undefined : glossaryService.previewUpload(file, setFields(fields));
}

function setFields({ name, source_lang, target_lang, table }: SetFields) {
  return {
    name,
    ...(source_lang && { source_lang }),
    ...(target_lang && { target_lang }),
    ...(table && { table }),
  };
}

/** The result of an upload, with the service's warnings about the file. */
function Uploaded({ set }: { set: UploadedTerminologySet }) {
  const t = useT();
  return (
    <div className="notice">
      <p>
        {t('sets.stored')}{' '}
        <Link to="/app/glossaries/$setId" params={{ setId: set.id }}>
          <bdi translate="no">{set.name}</bdi>
        </Link>{' '}
        · {t('sets.terms_count', { count: set.entry_count })}
      </p>
      {set.warnings.length > 0 && (
        <>
          <p>{t('sets.warnings')}</p>
          <ul>
            {set.warnings.map((warning) => (
              <li key={warning}>
                <bdi>{warning}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function GlossaryTable({ sets }: { sets: readonly TerminologySet[] }) {
  return (
    <SetTable sets={sets} size="sets.terms">
      {({ id, name }) => (
        <Link to="/app/glossaries/$setId" params={{ setId: id }}>
          <bdi translate="no">{name}</bdi>
        </Link>
      )}
    </SetTable>
  );
}

/** A dialog that creates a glossary without terms, and then opens it, so that its terms can be added. */
function NewGlossaryDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const create = useNewGlossary();
  const [name, setName] = useState('');
  const defaults = useDefaultLanguages();
  const [source, setSource] = useState(defaults?.source ?? '');
  const [target, setTarget] = useState(defaults?.targets[0] ?? '');
  const [wasSent, setWasSent] = useState(false);
  const isNameMissing = name.trim() === '';
  const pairProblem = !(source && target)
    ? t('sets.no_language')
    : source === target && t('sets.same_language');
  const save = async () => {
    setWasSent(true);
    if (isNameMissing || pairProblem) return;
    const set = await create({ name, source_lang: source, target_lang: target });
    announce(t('sets.created', { name: set.name }));
    await navigate({ to: '/app/glossaries/$setId', params: { setId: set.id } });
  };
  return (
    <Dialog title={t('sets.new_glossary')} onClose={onClose}>
      <Form
        action={t('sets.create')}
        onSubmit={save}
        onCancel={onClose}
        problem={(error) => (isNameTaken(error) ? false : null)}
      >
        {({ error }) => (
          <>
            <Field
              label={t('sets.name')}
              value={name}
              maxLength={maxNameLength}
              dir="auto"
              autoComplete="off"
              problem={
                wasSent && isNameMissing
                  ? t('sets.no_name')
                  : isNameTaken(error)
                    ? t('sets.name_taken')
                    : undefined
              }
              onValue={setName}
            />
            <Grid least={12}>
              <LanguageSelect
                label={t('sets.source_language')}
                value={source}
                any={t('sets.choose_one')}
                onChange={setSource}
              />
              <LanguageSelect
                label={t('sets.target_language')}
                value={target}
                any={t('sets.choose_one')}
                onChange={setTarget}
              />
            </Grid>
            {wasSent && pairProblem && (
              <p className="field-problem" role="alert">
                {pairProblem}
              </p>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
