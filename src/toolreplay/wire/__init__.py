"""Both wires, the Messages API and Bedrock Converse, parsed once into one frozen model.

Pure: no SDK, file, clock or network. Nothing here raises on any JSON; what is malformed is kept as it came, with
its position in the body as sent, for the contract to judge.
"""
