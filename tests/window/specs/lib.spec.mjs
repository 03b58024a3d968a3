import assert from 'node:assert/strict';
import { pairingFaults, startModelServer } from '../lib/model-server.mjs';

const call = (...ids) => ({ role: 'assistant', tool_calls: ids.map((id) => ({ id })) });
const result = (id) => ({ role: 'tool', tool_call_id: id });
const user = { role: 'user', content: 'x' };

describe('what the specs rely on', () => {
  it('finds calls without a result, results without a call, and results given twice', () => {
    const check = (messages, faults) => assert.deepEqual(pairingFaults(messages), faults);
    check([user, call('a', 'b'), result('b'), result('a'), user], []);
    check([user, call('a'), user], ['a call without a result: a']);
    check([user, call('a')], ['a call without a result: a']);
    check([user, result('a')], ['a result without a call: a']);
    check([call('a'), result('a'), result('a')], ['a result without a call: a']);
  });

  it('answers from the script, held back until released', async () => {
    const model = await startModelServer([{ text: 'one two', hold: 'middle' }, { status: 429, body: { error: 'slow down' } }]);
    const ask = () => fetch(`${model.baseUrl}/chat/completions`, { method: 'POST', body: '{"messages":[]}' });
    const answer = await ask();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('two')) text += (await reader.read()).value;
    assert.ok(!text.includes('[DONE]'), 'the end is held back');
    model.release();
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    assert.ok(text.includes('[DONE]'));
    assert.equal((await ask()).status, 429);
    assert.equal(model.requests.length, 2);
    await model.close();
  });
});
