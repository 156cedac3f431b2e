// @ts-check
// Requests to the server: answers, error messages and event streams.

/** The server rejected a request; the message says why. */
export class Refused extends Error {}

/** @param {Response} answer @returns {Promise<string>} */
async function whyNot(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text.trim() || `the server answered ${answer.status}`;
  }
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<Response>} */
async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new Refused("the server does not answer; is `arcbatt serve` still running?");
  }
  if (!answer.ok) throw new Refused(await whyNot(answer));
  return answer;
}

/** @param {string} path @returns {Promise<any>} */
export const get = async (path) => (await ask(path)).json();

/** @param {string} path @param {string} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export const post = async (path, body, signal) => (await ask(path, { method: "POST", body, signal })).json();

/** Send a request and receive its events until the stream ends or is aborted.
 * @param {string} path @param {string} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<{name: string, data: any}>} */
export async function* listen(path, body, signal) {
  const answer = await ask(path, { method: "POST", body, signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    text += part.value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name && data) yield { name, data: JSON.parse(data) };
    }
  }
}

/** @param {unknown} error */
export const wordsOf = (error) => (error instanceof Refused ? error.message : `internal error: ${error}`);
