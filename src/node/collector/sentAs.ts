import type * as z from 'zod/mini';
import type { Asked, Reply } from './route.ts';

/** What was sent, or the answer that says what is wrong with it. */
export async function sentAs<T>(schema: z.ZodMiniType<T>, body: Asked['body']): Promise<Reply | { readonly value: T }> {
  const sent = await body();
  if (!sent.ok) return { status: sent.status, body: { error: sent.error } };
  const parsed = schema.safeParse(sent.value);
  if (parsed.success) return { value: parsed.data };
  const issue = parsed.error.issues[0];
  return {
    status: 400,
    body: { error: `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not usable'}` },
  };
}
