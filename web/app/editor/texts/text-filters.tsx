import { useColleagues } from '../../assignments/colleagues.ts';
import { useT } from '../../i18n.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';
import { triggerCodes, triggerName } from '../../parts/review-triggers.ts';
import { MoreFilters } from '../more-filters.tsx';
import type { TextFilter } from './filters.ts';

/** The filters of the texts by language, reason, domain, submitter and assignee. They are part of the URL, which can be shared. */
export function TextFilters({
  filter,
  onChange,
}: {
  filter: TextFilter;
  onChange: (filter: TextFilter) => void;
}) {
  const t = useT();
  const change = (name: keyof TextFilter, value: string) => {
    const { [name]: _, ...others } = filter;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const selected = (['assigned', 'domain', 'submitter'] as const)
    .filter((name) => filter[name] !== undefined)
    .map((name) => ({
      name,
      label: name === 'assigned' ? t('editor.one_assignment') : filter[name] || t(`editor.no_${name}`),
      remove: () => change(name, ''),
    }));
  return (
    <MoreFilters
      selected={selected}
      hasMore={[filter.source, filter.target, filter.trigger, filter.assignee].some(
        (value) => value !== undefined,
      )}
    >
      <LanguageSelect
        label={t('review.source_lang')}
        any={t('review.any')}
        value={filter.source ?? ''}
        onChange={(source) => change('source', source)}
      />
      <LanguageSelect
        label={t('review.target_lang')}
        any={t('review.any')}
        value={filter.target ?? ''}
        onChange={(target) => change('target', target)}
      />
      <label>
        {t('review.reason')}
        <select value={filter.trigger ?? ''} onChange={({ target }) => change('trigger', target.value)}>
          <option value="">{t('review.any')}</option>
          {triggerCodes.map((code) => (
            <option key={code} value={code}>
              {triggerName(code, t)}
            </option>
          ))}
        </select>
      </label>
      <AssigneeSelect
        value={filter.assignee}
        onChange={(assignee) => {
          const { assignee: _, ...others } = filter;
          onChange(assignee === undefined ? others : { ...others, assignee });
        }}
      />
    </MoreFilters>
  );
}

/** Selects who reviews the texts next. It is shown in the popover, so the members are loaded when that opens. */
function AssigneeSelect({
  value,
  onChange,
}: {
  value: string | null | undefined;
  onChange: (value: string | null | undefined) => void;
}) {
  const t = useT();
  const { data: members = [] } = useColleagues();
  return (
    <label>
      {t('assignments.assigned_to')}
      <select
        value={value === undefined ? '' : `of ${value ?? ''}`}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value.slice(3) || null)}
      >
        <option value="">{t('review.any')}</option>
        <option value="of ">{t('review.unassigned')}</option>
        {members.map(({ user_id, name }) => (
          <option key={user_id} value={`of ${user_id}`}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
