import { type FormEvent, useEffect, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { DatePicker } from '../../kit/date-picker.tsx';
import { jobStatuses, type KnownJobStatus } from '../../parts/job-status.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { type TriggerCode, triggerCodes, triggerName } from '../../parts/review-triggers.ts';
import { maxTextLength } from '../../parts/searched-text.ts';
import type { JobFilter } from './search.ts';

/** The filters of the list. A selected option applies immediately; a text applies when the form is submitted. */
export function FilterFields({
  filter,
  onChange,
}: {
  filter: JobFilter;
  onChange: (filter: JobFilter) => void;
}) {
  const t = useT();
  const [text, setText] = useState(filter.text ?? '');
  // The browser's Back and Forward change the URL without this form.
  useEffect(() => setText(filter.text ?? ''), [filter.text]);
  const set = (change: { [Name in keyof JobFilter]: JobFilter[Name] | '' }) =>
    onChange(
      Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value)) as JobFilter,
    );
  const search = (event: FormEvent) => {
    event.preventDefault();
    set({ text: text.trim() });
  };
  return (
    <search>
      <Stack as="form" onSubmit={search}>
        <Row isTight>
          <input
            type="search"
            dir="auto"
            aria-label={t('jobs.text')}
            placeholder={t('jobs.text')}
            maxLength={maxTextLength}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <button type="submit">{t('jobs.search')}</button>
        </Row>
        <div className="filter-bar">
          <label>
            {t('jobs.status')}
            <select
              value={filter.status ?? ''}
              onChange={({ target }) => set({ status: target.value as KnownJobStatus | '' })}
            >
              <option value="">{t('jobs.any')}</option>
              {jobStatuses.map((status) => (
                <option key={status} value={status}>
                  {t(`jobs.status_${status}`)}
                </option>
              ))}
            </select>
          </label>
          <LanguageSelect
            label={t('jobs.source_language')}
            value={filter.from ?? ''}
            any={t('jobs.any')}
            onChange={(from) => set({ from })}
          />
          <LanguageSelect
            label={t('jobs.target_language')}
            value={filter.to ?? ''}
            any={t('jobs.any')}
            onChange={(to) => set({ to })}
          />
          <label>
            {t('jobs.trigger')}
            <select
              value={filter.trigger ?? ''}
              onChange={({ target }) => set({ trigger: target.value as TriggerCode | '' })}
            >
              <option value="">{t('jobs.any')}</option>
              {triggerCodes.map((trigger) => (
                <option key={trigger} value={trigger}>
                  {triggerName(trigger, t)}
                </option>
              ))}
            </select>
          </label>
          <DatePicker
            label={t('jobs.since')}
            value={filter.since}
            max={filter.until}
            onValue={(since) => set({ since })}
          />
          <DatePicker
            label={t('jobs.until')}
            value={filter.until}
            min={filter.since}
            onValue={(until) => set({ until })}
          />
          <button type="button" className="plain small" onClick={() => onChange({})}>
            {t('jobs.clear')}
          </button>
        </div>
      </Stack>
    </search>
  );
}
