"""Models of others' packages, made from their configurations and trained or used for a few steps:
architectures.py NAME, or --list for the names.

Their data is made up, and no weight is downloaded. beside.py runs each on a GPU and dry."""

import dataclasses
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
BATCH, LENGTH, WORDS = 4, 384, 32_000
SMALL = {"vocab_size": WORDS, "hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 4,
         "num_attention_heads": 12}
GROUPED = {**SMALL, "num_key_value_heads": 4}


@dataclasses.dataclass(frozen=True)
class Architecture:
    package: str
    made_by: str
    """The name of its class, or function, in the package."""
    settings: dict = dataclasses.field(default_factory=dict)
    given: str = "words"
    """The batch's kind, a name in BATCHES."""
    how: str = "fp32"
    """Any of: fp32, autocast, bf16, checkpointed, channels_last, compiled, generate, inference, sgd, fused, muon."""


def causal(name, settings=None, how="fp32"):
    return Architecture("transformers", f"{name}ForCausalLM", settings or GROUPED, "words", how)


def encoder(name, settings=None, how="fp32"):
    return Architecture("transformers", f"{name}ForMaskedLM", settings or SMALL, "words", how)


def picture(name, settings=None, how="fp32"):
    return Architecture("transformers", f"{name}ForImageClassification", settings or {}, "pictures", how)


def vision(name, how="fp32", **settings):
    return Architecture("torchvision", name, settings, "images", how)


def image(name, how="fp32", **settings):
    return Architecture("timm", name, settings, "images", how)


T5 = {"vocab_size": WORDS, "d_model": 512, "d_ff": 2048, "num_layers": 4, "num_heads": 8, "decoder_start_token_id": 0}
BART = {"vocab_size": WORDS, "d_model": 512, "encoder_layers": 3, "decoder_layers": 3, "encoder_ffn_dim": 2048,
        "decoder_ffn_dim": 2048, "decoder_start_token_id": 0}
EXPERTS = {**GROUPED, "num_experts_per_tok": 2}

ARCHITECTURES = {
    "llama": causal("Llama"), "llama_autocast": causal("Llama", how="autocast fused"),
    "llama_bf16": causal("Llama", how="bf16"), "llama_checkpointed": causal("Llama", how="autocast checkpointed"),
    "llama_generate": causal("Llama", how="bf16 generate"), "llama_compiled": causal("Llama", how="autocast compiled"),
    "llama_eager": causal("Llama", {**GROUPED, "attn_implementation": "eager"}),
    "mistral": causal("Mistral", {**GROUPED, "sliding_window": 128}), "qwen2": causal("Qwen2", how="autocast"),
    "qwen3": causal("Qwen3", {**GROUPED, "head_dim": 64}, "bf16 fused"),
    "qwen3_generate": causal("Qwen3", {**GROUPED, "head_dim": 64}, "bf16 generate"),
    "gemma2": causal("Gemma2", {**GROUPED, "head_dim": 64}), "gemma3": Architecture(
        "transformers", "Gemma3ForCausalLM", {**GROUPED, "head_dim": 64, "sliding_window": 128}, "words", "autocast"),
    "phi3": causal("Phi3", {**GROUPED, "pad_token_id": 0}, "bf16"), "phi": causal("Phi", how="autocast"),
    "gpt2": Architecture("transformers", "GPT2LMHeadModel", {"vocab_size": WORDS, "n_layer": 4}, how="autocast"),
    "gpt2_sgd": Architecture("transformers", "GPT2LMHeadModel", {
        "vocab_size": WORDS, "n_layer": 4, "n_embd": 1024, "n_head": 16}, how="sgd"),
    "gpt_neox": causal("GPTNeoX", SMALL, "autocast"), "gptj": causal("GPTJ", {
        "vocab_size": WORDS, "n_embd": 768, "n_layer": 4, "n_head": 12, "rotary_dim": 64}),
    "opt": causal("OPT", {"vocab_size": WORDS, "hidden_size": 768, "ffn_dim": 3072, "num_hidden_layers": 4,
                          "num_attention_heads": 12, "word_embed_proj_dim": 768}),
    "bloom": causal("Bloom", {"vocab_size": WORDS, "hidden_size": 768, "n_layer": 4, "n_head": 12}),
    "falcon": causal("Falcon", SMALL, "bf16"), "cohere": causal("Cohere", how="autocast"),
    "stablelm": causal("StableLm"), "olmo2": causal("Olmo2", how="autocast"), "granite": causal("Granite"),
    "starcoder2": causal("Starcoder2", how="bf16"), "smollm3": causal("SmolLM3", {**GROUPED, "pad_token_id": 0}),
    "nemotron": causal("Nemotron", how="autocast"), "glm4": causal("Glm4", {**GROUPED, "pad_token_id": 0}),
    "mamba": causal("Mamba", {"vocab_size": WORDS, "hidden_size": 512, "num_hidden_layers": 2}),
    "mixtral": causal("Mixtral", {**EXPERTS, "num_local_experts": 8}, "autocast"),
    "qwen3_moe": causal("Qwen3Moe", {**EXPERTS, "num_experts": 8, "moe_intermediate_size": 1024}, "bf16"),
    "bert": encoder("Bert"), "bert_autocast": encoder("Bert", how="autocast fused"), "roberta": encoder("Roberta"),
    "electra": encoder("Electra", {**SMALL, "embedding_size": 128}), "albert": encoder("Albert", {
        **SMALL, "embedding_size": 128}, "autocast"),
    "distilbert": encoder("DistilBert", {"vocab_size": WORDS, "n_layers": 4}), "deberta": encoder("DebertaV2", {
        **SMALL, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "modernbert": encoder("ModernBert", {**SMALL, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
                                         "cls_token_id": 1, "sep_token_id": 2}, "autocast"),
    "longformer": encoder("Longformer", {**SMALL, "attention_window": 128}),
    "t5": Architecture("transformers", "T5ForConditionalGeneration", T5),
    "t5_generate": Architecture("transformers", "T5ForConditionalGeneration", T5, how="generate"),
    "bart": Architecture("transformers", "BartForConditionalGeneration", BART, how="autocast"),
    "pegasus": Architecture("transformers", "PegasusForConditionalGeneration", BART),
    "whisper": Architecture("transformers", "WhisperForConditionalGeneration", {
        "d_model": 384, "encoder_layers": 3, "decoder_layers": 3, "vocab_size": WORDS, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1, "begin_suppress_tokens": None,
        "suppress_tokens": None}, "spectra", "autocast"),
    "wav2vec2": Architecture("transformers", "Wav2Vec2ForCTC", {"num_hidden_layers": 4, "mask_time_prob": 0.0}, "waves"),
    "hubert": Architecture("transformers", "HubertForCTC", {"num_hidden_layers": 4, "mask_time_prob": 0.0}, "waves", "autocast"),
    "clip": Architecture("transformers", "CLIPModel", {}, "pairs", "autocast"),
    "siglip": Architecture("transformers", "SiglipModel", {}, "pairs"),
    "vit": picture("ViT"), "vit_autocast": picture("ViT", how="autocast"), "deit": picture("DeiT", {"num_hidden_layers": 6}),
    "beit": picture("Beit", {"num_hidden_layers": 6}), "dinov2": picture("Dinov2", {"num_hidden_layers": 6}, "bf16"),
    "swin": picture("Swin"), "swinv2": picture("Swinv2", how="autocast"), "convnext": picture("ConvNext"),
    "resnet_hf": picture("ResNet", how="autocast"), "regnet": picture("RegNet"), "poolformer": picture("PoolFormer"),
    "segformer": picture("Segformer"), "mobilevit": picture("MobileViT"),
    "resnet50": vision("resnet50"), "resnet50_last": vision("resnet50", "autocast channels_last sgd"),
    "resnet18_compiled": vision("resnet18", "autocast compiled"),
    "resnet50_inference": vision("resnet50", "inference"), "vgg16": vision("vgg16"), "densenet121": vision("densenet121"),
    "mobilenet_v3": vision("mobilenet_v3_large"), "efficientnet_b0": vision("efficientnet_b0", "autocast"),
    "shufflenet": vision("shufflenet_v2_x1_0"), "convnext_tiny": vision("convnext_tiny", "autocast channels_last"),
    "swin_t": vision("swin_t"), "vit_b_16": vision("vit_b_16", "bf16"), "maxvit_t": vision("maxvit_t", "autocast"),
    "deeplab": Architecture("torchvision.models.segmentation", "deeplabv3_resnet50",
                            {"weights_backbone": None}, "images"),
    "r3d_18": Architecture("torchvision.models.video", "r3d_18", {}, "videos"),
    "timm_eva02": image("eva02_small_patch14_224"), "timm_regnety": image("regnety_032", "autocast channels_last"),
    "timm_mobilenetv4": image("mobilenetv4_conv_small"), "timm_vit": image("vit_small_patch16_224", "autocast fused"),
    "timm_mixer": image("mixer_b16_224"), "timm_coatnet": image("coatnet_0_rw_224", "autocast"),
    "timm_nfnet": image("nfnet_l0"), "timm_resnext": image("resnext50_32x4d", "autocast"),
    "llama_muon": causal("Llama", how="autocast muon"), "bert_compiled": encoder("Bert", how="compiled"),
}


def random_words(torch, *shape):
    return torch.randint(3, WORDS, shape).cuda()


def words_batch(torch, model):
    words = random_words(torch, BATCH, LENGTH)
    return {"input_ids": words, "labels": words}


def spectra_batch(torch, _):
    return {"input_features": torch.randn(BATCH, 80, 3000).cuda(), "labels": random_words(torch, BATCH, 64)}


def waves_batch(torch, _):
    return {"input_values": torch.randn(2, 32_000).cuda(), "labels": torch.randint(3, 30, (2, 20)).cuda()}


def pairs_batch(torch, model):
    size = model.config.vision_config.image_size
    return {"input_ids": torch.randint(3, 1000, (BATCH, 32)).cuda(),
            "pixel_values": torch.randn(BATCH, 3, size, size).cuda(), "return_loss": True}


def pictures_batch(torch, model):
    size = getattr(model.config, "image_size", 224)
    return {"pixel_values": torch.randn(16, 3, size, size).cuda(), "labels": torch.randint(2, (16,)).cuda()}


def images_batch(torch, model):
    # timm's models know the size that they are made for.
    size = getattr(model, "default_cfg", {}).get("input_size", (3, 224, 224))[-1]
    return torch.randn(16, 3, size, size).cuda()


def videos_batch(torch, _):
    return torch.randn(2, 3, 8, 112, 112).cuda()


BATCHES = {"words": words_batch, "spectra": spectra_batch, "waves": waves_batch, "pairs": pairs_batch,
           "pictures": pictures_batch, "images": images_batch, "videos": videos_batch}


def made(architecture):
    import importlib
    if architecture.package == "timm":
        return importlib.import_module("timm").create_model(architecture.made_by, **architecture.settings)
    if architecture.package == "torchvision":
        return getattr(importlib.import_module("torchvision.models"), architecture.made_by)(**architecture.settings)
    module = importlib.import_module(architecture.package)
    kind = getattr(module, architecture.made_by)
    if architecture.package != "transformers":
        return kind(**architecture.settings)
    wanted = dict(architecture.settings)
    attention = wanted.pop("attn_implementation", None)
    config = kind.config_class(**wanted)
    if attention:
        config._attn_implementation = attention
    return kind(config)


def optimizer_of(torch, model, how):
    if "sgd" in how:
        return torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    if "muon" in how:
        return torch.optim.Muon([weight for weight in model.parameters() if weight.ndim == 2], lr=0.001)
    return torch.optim.AdamW(model.parameters(), lr=0.0001, fused="fused" in how)


def loss_of(model, batch):
    output = model(**batch) if isinstance(batch, dict) else model(batch)
    if hasattr(output, "loss"):
        return output.loss
    if isinstance(output, dict):
        output = output["out"]
    return output.float().square().mean()


def batch_of(torch, architecture, model, how):
    batch = BATCHES[architecture.given](torch, model)
    if "bf16" in how and architecture.given == "pictures":
        batch["pixel_values"] = batch["pixel_values"].bfloat16()
    if "bf16" in how and architecture.given == "images":
        batch = batch.bfloat16()
    return batch.contiguous(memory_format=torch.channels_last) if "channels_last" in how else batch


def run(name):
    import torch
    torch.manual_seed(1)
    architecture = ARCHITECTURES[name]
    how = architecture.how.split()
    model = made(architecture).train().cuda()
    if "bf16" in how:
        model = model.to(torch.bfloat16)
    if "channels_last" in how:
        model = model.to(memory_format=torch.channels_last)
    if "checkpointed" in how:
        model.gradient_checkpointing_enable()
    batch = batch_of(torch, architecture, model, how)
    if "generate" in how:
        model.eval().generate(batch["input_ids"][:, :64], max_new_tokens=48, min_new_tokens=48, do_sample=False,
                              pad_token_id=0)
    elif "inference" in how:
        with torch.inference_mode():
            for _ in range(3):
                model.eval()(batch)
    else:
        train(torch, model, batch, how)
    torch.cuda.synchronize()


def train(torch, model, batch, how):
    optimizer = optimizer_of(torch, model, how)
    called = torch.compile(model) if "compiled" in how else model
    for _ in range(3):
        with torch.autocast("cuda", torch.bfloat16, enabled="autocast" in how):
            loss = loss_of(called, batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    if sys.argv[1:] == ["--list"]:
        print(*ARCHITECTURES)
        return
    import pathlib
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cuda_standins/real/programs"))
    import figures  # noqa: F401
    run(sys.argv[1])


if __name__ == "__main__":
    main()
