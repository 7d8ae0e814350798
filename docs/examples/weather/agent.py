# agent.py
"""A tool loop that forgets the calls that fail."""


def loop(client, model, max_tokens, messages, tools, functions):
    """Answer the last message of the history, running tools on the way."""
    while True:
        reply = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return messages
        results = []
        for call in calls:
            try:
                value = functions[call.name](**call.input)
            except LookupError:
                continue  # nothing to report
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": str(value)})
        messages.append({"role": "user", "content": results})
