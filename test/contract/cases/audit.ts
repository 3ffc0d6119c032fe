import { asAdmin, asCookie, asKey, asMember, asNobody, asOperator, type Cases } from './case.ts';

const noBearer = 'missing bearer token';

export const auditCases: Cases = {
  'audit.list': [
    { name: 'lists', status: 200, ask: asAdmin() },
    { name: 'filters', status: 200, ask: asAdmin({ action: 'signed_in', limit: 1 }) },
    { name: 'the action is none', status: 422, ask: asAdmin({ action: 'everything' }) },
    { name: 'the cursor is none', status: 422, ask: asAdmin({ cursor: 'zzz' }) },
    { name: 'a member asks', status: 403, detail: 'admin role required', ask: asMember() },
    { name: 'a key asks', status: 401, detail: noBearer, ask: asKey() },
    { name: 'the operator key asks', status: 401, detail: noBearer, ask: asOperator() },
    { name: 'nobody asks', status: 401, detail: noBearer, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail: noBearer, ask: asCookie() },
  ],
};
