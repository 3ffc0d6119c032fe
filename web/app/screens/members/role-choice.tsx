import { useT } from '../../i18n.tsx';
import { roleName } from './member.ts';

const roles = ['agent_id_developer', 'global_administrator'];

/**
 * A field to select a member's role; shows the permissions of each role. If the member has an unknown role, that role
 * can stay selected.
 */
export function RoleChoice({ value, onChange }: { value: string; onChange: (role: string) => void }) {
  const t = useT();
  return (
    <label>
      {t('members.role')}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {[...new Set([...roles, value])].map((role) => (
          <option key={role} value={role}>
            {roleName(role, t)}
          </option>
        ))}
      </select>
      <span className="hint">{t('members.role_hint')}</span>
    </label>
  );
}
