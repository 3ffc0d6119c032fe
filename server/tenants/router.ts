import { router } from '#server/trpc.ts';
import { create } from './procedures/create.ts';
import { list } from './procedures/list.ts';
import { setSecurityPolicy } from './procedures/set-security-policy.ts';

export const tenantsRouter = router({ create, list, setSecurityPolicy });
