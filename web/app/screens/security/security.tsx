import { AdminsOnly } from '../../parts/admins-only.tsx';
import { Policy } from './policy.tsx';

/** `/app/security`: who needs a second factor. */
export function SecurityScreen() {
  return <AdminsOnly title="security.title">{(me) => <Policy me={me} />}</AdminsOnly>;
}
