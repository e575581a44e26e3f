#pragma once

namespace zoo {

// The methods of an export in TorchScript, in parts that fit together. They call the traced methods
// and read the attributes that scripted_program() adds.

inline constexpr const char* kRowsSource = R"(
def lengths_of(self, rows: Tensor, lengths: Optional[Tensor]) -> Tensor:
    if lengths is not None:
        return lengths
    return torch.full([rows.size(0)], rows.size(1), dtype=self.int64_type, device=rows.device)

def check_rows(self, what: str, rows: Tensor):
    assert rows.dim() == 2 and rows.size(1) > 0, "{} must be [rows, tokens], got {}".format(what, rows.size())
    longest = self.block_size
    fits = longest == 0 or rows.size(1) <= longest
    assert fits, "{} {} are longer than the {} tokens that the model reads".format(what, rows.size(), longest)
    exact = self.fixed_length == 0 or rows.size(1) == longest
    assert exact, "{} {} must have the {} tokens that the model reads".format(what, rows.size(), longest)
)";

inline constexpr const char* kImagesSource = R"(
def forward(self, images: Tensor) -> Tensor:
    """Images [B, C, H, W], from 0 to 255 -> logits [B, classes]."""
    assert images.dim() == 4, "images must be [B, C, H, W], got {}".format(images.size())
    return self.traced_forward(images.to(dtype=self.float32_type))
)";

inline constexpr const char* kForwardSource = R"(
def forward(self, tokens: Tensor, lengths: Optional[Tensor]=None) -> Tensor:
    self.check_rows("tokens", tokens)
    return self.traced_forward(tokens, self.lengths_of(tokens, lengths))
)";

inline constexpr const char* kRepresentSource = R"(
def represent(self, tokens: Tensor, lengths: Optional[Tensor]=None) -> Tensor:
    self.check_rows("tokens", tokens)
    return self.traced_represent(tokens, self.lengths_of(tokens, lengths))
)";

inline constexpr const char* kSegmentsSource = R"(
def segments_of(self, tokens: Tensor, segments: Optional[Tensor]) -> Tensor:
    return torch.zeros_like(tokens) if segments is None else segments

def forward(self, tokens: Tensor, lengths: Optional[Tensor]=None, segments: Optional[Tensor]=None) -> Tensor:
    self.check_rows("tokens", tokens)
    return self.traced_forward(tokens, self.lengths_of(tokens, lengths), self.segments_of(tokens, segments))

def represent(self, tokens: Tensor, lengths: Optional[Tensor]=None, segments: Optional[Tensor]=None) -> Tensor:
    self.check_rows("tokens", tokens)
    return self.traced_represent(tokens, self.lengths_of(tokens, lengths), self.segments_of(tokens, segments))
)";

inline constexpr const char* kPickSource = R"(
def check_sampling(self, max_new_tokens: int, temperature: float, top_k: int, top_p: float):
    assert max_new_tokens >= 0, "max_new_tokens must be at least 0, got {}".format(max_new_tokens)
    assert temperature >= 0.0, "temperature must be at least 0, got {}".format(temperature)
    assert top_k >= 0, "top_k must be at least 0 (0: all), got {}".format(top_k)
    assert top_p > 0.0 and top_p <= 1.0, "top_p must be above 0 and at most 1, got {}".format(top_p)

def pick(self, logits: Tensor, temperature: float, top_k: int, top_p: float) -> Tensor:
    if temperature == 0.0:
        return logits.argmax(-1)
    logits = logits.to(dtype=self.float64_type)
    kept = (logits - logits.amax(-1, keepdim=True)) / temperature
    if top_k > 0 or top_p < 1.0:
        ranked, order = torch.sort(kept, stable=True, dim=-1, descending=True)
        if top_k > 0:
            rank = torch.arange(kept.size(-1), device=kept.device)
            ranked = ranked.masked_fill(rank >= top_k, float("-inf"))
        if top_p < 1.0:
            probabilities = ranked.softmax(-1)
            before = probabilities.cumsum(-1) - probabilities
            ranked = ranked.masked_fill(before >= top_p, float("-inf"))
        kept = torch.empty_like(kept).scatter(-1, order, ranked)
    return torch.multinomial(kept.softmax(-1), 1).squeeze(1)
)";

inline constexpr const char* kGenerateSource = R"(
def next_logits(self, rows: Tensor) -> Tensor:
    shown = rows[:, -self.most_shown:]
    lengths = self.lengths_of(shown, None)
    missing = self.most_shown - shown.size(1)
    if self.fixed_length == 1 and missing > 0:
        padding = torch.full([rows.size(0), missing], self.pad_id, dtype=self.int64_type, device=rows.device)
        shown = torch.cat([padding, shown], 1)
    logits = self.forward(shown, lengths)
    return logits[:, -1] if logits.dim() == 3 else logits

def generate(self, tokens: Tensor, max_new_tokens: int, temperature: float=1.0, top_k: int=0, top_p: float=1.0) -> Tensor:
    self.check_sampling(max_new_tokens, temperature, top_k, top_p)
    assert tokens.dim() == 2 and tokens.size(1) > 0, "tokens must be [rows, tokens], got {}".format(tokens.size())
    stopped = torch.zeros([tokens.size(0)], dtype=self.bool_type, device=tokens.device)
    for _ in range(max_new_tokens):
        picked = self.pick(self.next_logits(tokens), temperature, top_k, top_p)
        if self.boundary_id >= 0:
            picked = picked.masked_fill(stopped, self.boundary_id)
            stopped = stopped.logical_or(picked.eq(self.boundary_id))
        tokens = torch.cat([tokens, picked.unsqueeze(1)], 1)
        if self.boundary_id >= 0 and bool(stopped.all()):
            break
    return tokens
)";

inline constexpr const char* kTranslateSource = R"(
def encode(self, source: Tensor, source_lengths: Optional[Tensor]=None) -> Tensor:
    self.check_rows("source", source)
    return self.traced_encode(source, self.lengths_of(source, source_lengths))

def decode_step(self, tokens: Tensor, memory: Tensor, source_lengths: Optional[Tensor]=None) -> Tensor:
    self.check_rows("tokens", tokens)
    return self.traced_decode_step(tokens, memory, self.lengths_of(memory, source_lengths))

def forward(self, source: Tensor, tokens: Tensor, source_lengths: Optional[Tensor]=None) -> Tensor:
    self.check_rows("source", source)
    self.check_rows("tokens", tokens)
    return self.traced_forward(source, tokens, self.lengths_of(source, source_lengths))

def generate(self, source: Tensor, max_new_tokens: int, temperature: float=0.0, top_k: int=0, top_p: float=1.0, source_lengths: Optional[Tensor]=None) -> Tensor:
    self.check_sampling(max_new_tokens, temperature, top_k, top_p)
    memory = self.encode(source, source_lengths)
    most = max_new_tokens if self.block_size == 0 else min(max_new_tokens, self.block_size)
    tokens = torch.full([source.size(0), 1], self.separator_id, dtype=self.int64_type, device=source.device)
    stopped = torch.zeros([source.size(0)], dtype=self.bool_type, device=source.device)
    for _ in range(most):
        logits = self.decode_step(tokens, memory, source_lengths)
        picked = self.pick(logits, temperature, top_k, top_p).masked_fill(stopped, self.boundary_id)
        stopped = stopped.logical_or(picked.eq(self.boundary_id))
        tokens = torch.cat([tokens, picked.unsqueeze(1)], 1)
        if bool(stopped.all()):
            break
    return tokens[:, 1:]
)";

/// Of characters; TorchScript's strings are bytes, so that UTF-8 is put together here. ENCODE and
/// DECODE stand for the names of the methods.
inline constexpr const char* kCharactersSource = R"(
def ENCODE(self, text: str) -> List[int]:
    ids: List[int] = []
    at = 0
    while at < len(text):
        size = 0
        for role in self.role_tokens:
            if size == 0 and text[at:at + len(role)] == role:
                size = len(role)
                ids.append(self.ids[role])
        if size == 0:
            first = ord(text[at])
            size = 1 if first < 128 else (2 if first < 224 else (3 if first < 240 else 4))
            character = text[at:at + size]
            if character in self.ids:
                ids.append(self.ids[character])
            elif self.unknown_id >= 0:
                ids.append(self.unknown_id)
            else:
                assert self.skips_unknown == 1, "the character at byte {} is not in the vocabulary".format(at)
        at += size
    return ids

def DECODE(self, tokens: List[int]) -> str:
    return "".join([self.tokens[id] for id in tokens])
)";

}  // namespace zoo
