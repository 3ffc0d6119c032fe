import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReviewerProfile } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { Row, Stack } from '../kit/box.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { Check, Field } from '../kit/field.tsx';
import { announce } from '../parts/announcer.tsx';
import { LanguageSelect, useLanguages } from '../parts/languages.tsx';
import { useDefaultLanguages } from '../screens/general/default-languages.ts';
import styles from './assignments.module.css';
import { useReload } from './assignments.ts';
import { service } from './colleagues.ts';

type Language = ReviewerProfile['languages'][number];

/**
 * Changes the name, time zone and absence of a member; by an administrator also the languages.
 * @param isOwn whether it is the signed-in member's own profile, whose languages only administrators change
 */
export function ProfileDialog({
  profile: present,
  isOwn = false,
  onClose,
}: {
  profile: ReviewerProfile;
  isOwn?: boolean;
  onClose: () => void;
}) {
  const t = useT();
  const reload = useReload();
  const [profile] = useState(present);
  const [name, setName] = useState(profile.display_name);
  const [timeZone, setTimeZone] = useState(profile.time_zone);
  const [from, setFrom] = useState(profile.away_from ?? '');
  const [to, setTo] = useState(profile.away_to ?? '');
  const [languages, setLanguages] = useState(profile.languages);
  const isPeriod = (from === '') === (to === '') && from <= to;
  const save = async () => {
    await service.saveProfile({
      // Only what has changed: someone else may have saved the rest since the dialog was opened.
      user_id: profile.user_id,
      ...(name !== profile.display_name && { display_name: name }),
      ...(timeZone !== profile.time_zone && { time_zone: timeZone }),
      ...((from !== (profile.away_from ?? '') || to !== (profile.away_to ?? '')) && {
        away_from: from || null,
        away_to: to || null,
      }),
      ...(languages !== profile.languages && { languages }),
    });
    await reload();
    announce(t('assignments.profile_saved'));
  };
  return (
    <FormDialog
      title={<bdi translate="no">{profile.name}</bdi>}
      isWide
      action={t('assignments.save')}
      isReady={isPeriod}
      onSubmit={save}
      onClose={onClose}
    >
      {!isOwn && <LanguageFields languages={languages} onChange={setLanguages} />}
      <Field
        label={t('assignments.display_name')}
        hint={t('assignments.display_name_hint')}
        value={name}
        maxLength={100}
        onValue={setName}
      />
      <TimeZone value={timeZone} onChange={setTimeZone} />
      <fieldset className={styles['group']}>
        <legend>{t('assignments.absence')}</legend>
        <Row gap={4} align="end">
          <label>
            {t('assignments.first_day')}
            <input type="date" value={from} max={to} onChange={({ target }) => setFrom(target.value)} />
          </label>
          <label>
            {t('assignments.last_day')}
            <input type="date" value={to} min={from} onChange={({ target }) => setTo(target.value)} />
          </label>
          {(from || to) && (
            <button
              type="button"
              className="small"
              onClick={() => {
                setFrom('');
                setTo('');
              }}
            >
              {t('assignments.no_absence')}
            </button>
          )}
        </Row>
      </fieldset>
      <p className="hint">{t(isPeriod ? 'assignments.absence_why' : 'assignments.absence_wrong')}</p>
    </FormDialog>
  );
}

function TimeZone({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const t = useT();
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([value, local, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return (
    <label>
      {t('assignments.time_zone')}
      <select translate="no" value={value} onChange={({ target }) => onChange(target.value)}>
        {zones.map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The pairs of languages that a member reviews, each with the member's roles. */
export function LanguageFields({
  languages,
  onChange,
}: {
  languages: readonly Language[];
  onChange: (languages: Language[]) => void;
}) {
  const t = useT();
  const title = useId();
  const { languages: known, nameOf } = useLanguages();
  const change = (at: number, part: Partial<Language>) =>
    onChange(languages.map((one, index) => (index === at ? { ...one, ...part } : one)));
  const defaults = useDefaultLanguages();
  const unused = [...(defaults?.targets ?? []), ...known.map(({ code }) => code)].find(
    (code) => !languages.some(({ target_lang }) => target_lang === code),
  );
  return (
    <fieldset className={styles['group']} aria-labelledby={title}>
      <legend id={title}>{t('assignments.languages')}</legend>
      {languages.length === 0 && <p className="hint">{t('assignments.all_languages')}</p>}
      <Stack as="ul" gap={2}>
        {languages.map((one, index) => {
          const of = `${one.source_lang === '*' ? t('assignments.any_language') : nameOf(one.source_lang)} → ${nameOf(one.target_lang)}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pair can be changed
            <Row as="li" key={index} gap={4} align="end">
              <LanguageSelect
                label={t('assignments.from')}
                value={one.source_lang}
                first={{ value: '*', name: t('assignments.any_language') }}
                onChange={(source_lang) => change(index, { source_lang })}
              />
              <LanguageSelect
                label={t('assignments.to')}
                value={one.target_lang}
                onChange={(target_lang) => change(index, { target_lang })}
              />
              <Check
                label={t('assignments.first_review')}
                isChecked={one.review}
                onChange={(review) => change(index, { review })}
              />
              <Check
                label={t('assignments.second_review')}
                isChecked={one.second}
                onChange={(second) => change(index, { second })}
              />
              <button
                type="button"
                className="ghost small"
                aria-label={t('assignments.remove_languages', { pair: of })}
                onClick={() => onChange(languages.filter((_, at) => at !== index))}
              >
                <Trash2 size={15} aria-hidden />
              </button>
            </Row>
          );
        })}
      </Stack>
      <button
        type="button"
        className="small"
        onClick={() =>
          onChange([
            ...languages,
            {
              source_lang: defaults?.source ?? '*',
              target_lang: unused ?? 'en',
              review: true,
              second: true,
            },
          ])
        }
      >
        <Plus size={15} aria-hidden /> {t('assignments.add_pair')}
      </button>
    </fieldset>
  );
}
